/**
 * The tests of `npm run mutation`. Three files are omitted because they are slow or repeat a claim over generated texts, and
 * sources.test.ts because it reads the text of the sources, to which Stryker adds its mutants.
 */
import jest from './jest.config.js';

const [{ displayName: _, ...unit }] = jest.projects;

export default {
  ...unit,
  testMatch: ['<rootDir>/test/{identifier,registry}/*.test.ts'],
  testPathIgnorePatterns: ['/(regular-expressions|properties|hostile|sources)\\.test\\.ts$'],
  testTimeout: jest.testTimeout,
};
