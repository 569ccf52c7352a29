/** The dependency law of docs/ARCHITECTURE.md. Arrows point down: entry points, features, record, database. */
const FEATURES =
  'minting|lookup|curation|reservations|events|transfer|naming-authorities|normalization|api-keys|health|documentation';

export default {
  forbidden: [
    {
      name: 'identifier-is-pure',
      comment: 'The syntax core knows no framework, database, clock or environment: it imports nothing from outside.',
      severity: 'error',
      from: { path: '^src/identifier/' },
      to: { pathNot: '^src/identifier/' },
    },
    {
      name: 'identifier-has-one-face',
      comment: 'Everybody else uses the syntax core by its index, so that its files can be cut anew.',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/identifier/' },
      to: { path: '^src/identifier/', pathNot: '^src/identifier/index\\.ts$' },
    },
    {
      name: 'features-do-not-know-each-other',
      comment: 'What two features need is a law of the record, or a thing of its own.',
      severity: 'error',
      from: { path: `^src/(${FEATURES})/` },
      to: { path: `^src/(${FEATURES})/`, pathNot: '^src/$1/' },
    },
    {
      name: 'record-is-below-features',
      severity: 'error',
      from: { path: '^src/record/' },
      to: { path: `^src/(${FEATURES}|access|http|metrics|app\\.|main|service)` },
    },
    {
      name: 'database-is-at-the-bottom',
      severity: 'error',
      from: { path: '^src/database/' },
      to: { path: '^src/', pathNot: '^src/(database|config)/' },
    },
    {
      name: 'tables-have-one-user',
      comment: 'Only the record reads and writes tables; health asks for the migrations.',
      severity: 'error',
      from: { path: `^src/(${FEATURES}|access|http|metrics|problem)/`, pathNot: '^src/health/' },
      to: { path: '^src/database/' },
    },
    {
      name: 'problem-knows-only-syntax',
      severity: 'error',
      from: { path: '^src/problem/' },
      to: { path: '^src/', pathNot: '^src/(problem|identifier|openapi)/' },
    },
    {
      name: 'config-knows-only-syntax',
      severity: 'error',
      from: { path: '^src/config/' },
      to: { path: '^src/', pathNot: '^src/(config|identifier)/' },
    },
    {
      name: 'edges-know-no-feature',
      comment: 'Every feature may use access, http, logging and metrics; what they watch is handed to them.',
      severity: 'error',
      from: { path: '^src/(access|http|logging|metrics)/' },
      to: { path: '^src/', pathNot: '^src/(access|http|logging|metrics|openapi|problem|config|identifier|record)/' },
    },
    {
      name: 'only-access-asks-the-record',
      comment: 'Keys are records too; the other edges know neither records nor identifiers.',
      severity: 'error',
      from: { path: '^src/(http|logging|metrics)/' },
      to: { path: '^src/(identifier|record)/' },
    },
    {
      name: 'notes-know-nothing',
      comment: 'Everybody may say what the OpenAPI document is to have.',
      severity: 'error',
      from: { path: '^src/openapi/' },
      to: { path: '^src/', pathNot: '^src/openapi/' },
    },
    {
      name: 'heavy-packages-are-loaded-late',
      comment: 'A start does without them; whoever needs one imports it when it is needed.',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/database/(generated/|schema-engine\\.ts|schema-adapter\\.ts)' },
      to: {
        path: '(^|/)(@nestjs/swagger|@prisma/[a-z-]+|src/database/generated|src/database/schema-engine\\.ts)(/|$)',
        dynamic: false,
        dependencyTypesNot: ['type-only'],
      },
    },
    {
      name: 'entry-points-are-not-imported',
      severity: 'error',
      from: { path: '^src/[^/]+/' },
      to: { path: '^src/[^/]+\\.ts$' },
    },
    { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'nothing-unused',
      severity: 'error',
      from: { orphan: true, path: '^src/' },
      to: {},
    },
    {
      name: 'declared-dependencies-only',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/database/generated/' },
      to: { dependencyTypes: ['npm-dev', 'npm-no-pkg', 'npm-unknown', 'unknown'] },
    },
  ],
  options: {
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    doNotFollow: { path: 'node_modules|^src/database/generated' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'types', 'node', 'default'] },
  },
};
