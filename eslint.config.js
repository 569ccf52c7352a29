import tseslint from 'typescript-eslint';

/**
 * Constants of the service that tests may import. A test passes them to the code, or they are what it tests; no expected
 * value is one of them.
 */
const TESTED_CONSTANTS = [
  // Who sends a request, the resolver, the rules of an interface and those of a header line, which tests pass to the code.
  ...['ADMIN', 'OPEN_ACCESS', 'PUBLIC_READER', 'UNAUTHENTICATED', 'DEFAULT_RESOLVER', 'REST_API'],
  ...['CHANGE_COLUMNS', 'IMPORT_COLUMNS'],
  // Statements that tests explain or inspect.
  ...[
    'COUNT',
    'COUNT_NAMES',
    'IMPORT',
    'INSERT_MANY',
    'INSERT_ONE',
    'INSERT_WITH_MORE',
    'REGISTER_ONE',
    'LOG_HEAD',
    'LOG_HEAD_WITHOUT',
    'LOG_PAGE',
    'HAS_EVENT',
    'LOG_POLL',
    'PAGE_OF_NAMES',
    'RESTART',
  ],
  // Lists of which tests visit each entry, or compare all with a document or with the database.
  ...[
    'CATALOGUE',
    'COLUMNS',
    'PROBLEM_CODES',
    'REQUIRED_UNIQUE_INDEXES',
    'RESERVED_SEGMENTS',
    'STATES',
    'SYNTAX_CODES',
  ],
  // Regular expressions and a policy whose effects are tested.
  ...['PAGE_CONTENT_SECURITY_POLICY', 'TIMESTAMP', 'TIMESTAMP_OR_DATE'],
];

export default tseslint.config(
  {
    ignores: [
      '**/dist',
      'coverage',
      'site',
      'src/database/generated',
      'test/generators/node_modules',
      'test/generators/uses',
    ],
  },
  ...tseslint.configs.strictTypeChecked,
  ...tseslint.configs.stylisticTypeChecked,
  {
    languageOptions: {
      parserOptions: { project: 'tsconfig.test.json' },
    },
    rules: {
      '@typescript-eslint/no-non-null-assertion': 'error',
      '@typescript-eslint/no-explicit-any': 'error',
      // A module of the framework is a class without members, and a decorator's argument.
      '@typescript-eslint/no-extraneous-class': ['error', { allowWithDecorator: true }],
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      '@typescript-eslint/no-empty-function': 'off',
      // A DTO is a class so that its fields can be decorated; responses are plain objects of its shape.
      '@typescript-eslint/no-unsafe-class-instance-assignment': 'off',
      '@typescript-eslint/no-misused-spread': 'off',
    },
  },
  {
    files: ['test/**/*.ts'],
    rules: {
      // Tests read members of responses; their assertions check the shape.
      '@typescript-eslint/no-explicit-any': 'off',
      '@typescript-eslint/no-non-null-assertion': 'off',
      '@typescript-eslint/no-unsafe-argument': 'off',
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-call': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
      '@typescript-eslint/no-unsafe-return': 'off',
    },
  },
  {
    files: ['test/**/*.{ts,js,cts,mts,cjs,mjs}'],
    rules: {
      'no-restricted-syntax': [
        'error',
        {
          selector: `ImportDeclaration[source.value=/\\u002f(src|dist)\\u002f|^@mintmark\\u002f/] > ImportSpecifier[imported.name=/^(?!(${TESTED_CONSTANTS.join('|')})$)[A-Z][A-Z0-9_]*$/]`,
          message:
            'A test states the values that it expects: write the value here. TESTED_CONSTANTS in eslint.config.js lists the constants that a test may import.',
        },
      ],
    },
  },
  {
    files: ['src/**/*.ts'],
    ignores: ['src/http/validation/request-validation.ts'],
    rules: {
      'no-restricted-imports': [
        'error',
        {
          name: '@nestjs/common',
          importNames: ['Body', 'Query'],
          message: 'Use ValidBody and ValidQuery, which validate.',
        },
      ],
    },
  },
  { files: ['src/**/*.ts', 'packages/*/src/**/*.ts'], rules: { 'max-lines': ['error', 300] } },
  { files: ['test/**/*.ts'], rules: { 'max-lines': ['error', 400] } },
  { files: ['**/*.{js,cjs,mjs}'], extends: [tseslint.configs.disableTypeChecked] },
  { files: ['**/*.cjs'], rules: { '@typescript-eslint/no-require-imports': 'off' } },
);
