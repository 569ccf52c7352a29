/**
 * The tests of `npm run mutation`, in Jest's own runner and on the sources, which Stryker changes. Three files are omitted
 * because they are slow or repeat a claim over generated texts, sources.test.ts because it reads the text of the sources, to which
 * Stryker adds its mutants, and those of the built package: package.test.ts, consumer.test.ts and reference.test.ts.
 */
import jest, { typescript } from './jest.config.js';

export default {
  ...typescript,
  moduleNameMapper: {
    ...typescript.moduleNameMapper,
    '^@mintmark/identifier$': '<rootDir>/packages/identifier/src/index.ts',
  },
  testMatch: ['<rootDir>/test/{identifier,registry}/*.test.ts'],
  testPathIgnorePatterns: ['/(regular-expressions|properties|hostile|sources|package|consumer|reference)\\.test\\.ts$'],
  testTimeout: jest.testTimeout,
};
