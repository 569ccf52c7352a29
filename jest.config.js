import { availableParallelism } from 'node:os';

/**
 * Unit tests run as modules of Node.js itself, without a module world for each file. End-to-end tests run in Jest's own runner,
 * which limits their time, and speak HTTP to the built service; see docs/explanation/architecture.md.
 */
export const typescript = {
  extensionsToTreatAsEsm: ['.ts'],
  // TypeScript imports its modules by the names of the compiled ones; those of dist/ are compiled.
  moduleNameMapper: { '^(\\.{1,2}/(?!.*dist/).*)\\.js$': '$1' },
  transform: { '^.+\\.ts$': '<rootDir>/test/runner/transform.js' },
};

export default {
  projects: [
    {
      displayName: 'unit',
      runner: '<rootDir>/test/runner/unit-runner.js',
      setupFiles: ['<rootDir>/test/runner/register.js'],
      testMatch: ['<rootDir>/test/**/*.test.ts'],
    },
    {
      ...typescript,
      displayName: 'e2e',
      testMatch: ['<rootDir>/test/e2e/**/*.e2e.ts'],
      testEnvironment: '<rootDir>/test/runner/documented-environment.js',
      globalSetup: '<rootDir>/test/e2e/harness/global-setup.js',
      globalTeardown: '<rootDir>/test/e2e/harness/global-teardown.js',
    },
  ],
  reporters: ['<rootDir>/test/runner/reporter.js'],
  testSequencer: '<rootDir>/test/runner/sequencer.js',
  // Two more than the processors, because many end-to-end tests wait for leases, limits and outages.
  maxWorkers: Math.max(4, availableParallelism() + 2),
  testTimeout: 120_000 * Number(process.env.MACHINE_FACTOR ?? 1),
};
