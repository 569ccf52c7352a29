/** Mutation tests of the pure folders, run by hand: see CONTRIBUTING.md. */
export default {
  testRunner: 'jest',
  // Jest loads ES modules only with this option.
  testRunnerNodeArgs: ['--experimental-vm-modules', '--disable-warning=ExperimentalWarning'],
  jest: { configFile: 'jest.mutation.config.js' },
  mutate: ['packages/identifier/src/**/*.ts', 'src/registry/**/*.ts'],
  coverageAnalysis: 'perTest',
  // A mutant in a constant of a module is active while the module loads, so that all tests must run for it, in a new process.
  ignoreStatic: true,
  concurrency: 1,
  // The sandbox is a copy of the project, so tsconfig.json needs no rewriting, for which Stryker would load TypeScript.
  tsconfigFile: 'none',
  plugins: ['@stryker-mutator/jest-runner'],
  ignorePatterns: [
    '/bench',
    '/coverage',
    '/dist',
    '/packages/identifier/dist',
    '/docs',
    '/prisma',
    '/scripts',
    '/test/e2e',
    '/test/fuzz',
  ],
  tempDirName: 'coverage/stryker',
  cleanTempDir: 'always',
  reporters: ['progress-append-only', 'clear-text', 'json'],
  jsonReporter: { fileName: 'coverage/mutation.json' },
  allowConsoleColors: false,
};
