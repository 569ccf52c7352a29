/**
 * The unit tests of `npm run coverage`, and the lowest coverage that they may have. Measured are the folders whose rules unit
 * tests decide; most of the others are tested end to end, in another process. Two files are omitted: one analyzes regular
 * expressions, the other measures times, which the counters of coverage change.
 */
import jest from './jest.config.js';

const [{ displayName: _, ...unit }] = jest.projects;

export default {
  ...unit,
  testMatch: ['<rootDir>/test/{identifier,registry,record-page,config,http/headers}/*.test.ts'],
  testPathIgnorePatterns: ['/(regular-expressions|hostile)\\.test\\.ts$'],
  testTimeout: jest.testTimeout,
  collectCoverage: true,
  collectCoverageFrom: ['src/{identifier,registry,record-page,config,http/headers}/**/*.ts'],
  coverageDirectory: 'coverage',
  coverageReporters: ['lcovonly', 'text-summary'],
  coverageThreshold: {
    './src/identifier/': { statements: 96, branches: 94, functions: 92, lines: 98 },
    './src/registry/': { statements: 91, branches: 92, functions: 91, lines: 91 },
    './src/record-page/': { statements: 94, branches: 80, functions: 95, lines: 95 },
    './src/config/': { statements: 90, branches: 83, functions: 90, lines: 89 },
    './src/http/headers/': { statements: 76, branches: 81, functions: 65, lines: 74 },
  },
};
