import { availableParallelism } from 'node:os';

/** Tests are TypeScript run as ES modules. End-to-end tests speak HTTP to the built server; see docs/explanation/architecture.md. */
const typescript = {
  extensionsToTreatAsEsm: ['.ts'],
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': '$1' },
  transform: { '^.+\\.ts$': ['ts-jest', { useESM: true, tsconfig: 'tsconfig.test.json', diagnostics: false }] },
};

export default {
  projects: [
    { ...typescript, displayName: 'unit', testMatch: ['<rootDir>/test/**/*.test.ts'] },
    {
      ...typescript,
      displayName: 'e2e',
      testMatch: ['<rootDir>/test/e2e/**/*.e2e.ts'],
      moduleNameMapper: { '^(\\.{1,2}/(?!.*dist/).*)\\.js$': '$1' },
      globalSetup: '<rootDir>/test/e2e/harness/global-setup.js',
      globalTeardown: '<rootDir>/test/e2e/harness/global-teardown.js',
    },
  ],
  // Jest's default is one less than the processors, which leaves one of two idle.
  maxWorkers: Math.max(2, availableParallelism() - 1),
  testTimeout: 120_000,
};
