/** Unit tests and end-to-end tests are TypeScript run as ES modules; see docs/ARCHITECTURE.md, "Tests". */
const typescript = {
  extensionsToTreatAsEsm: ['.ts'],
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': '$1' },
  transform: { '^.+\\.ts$': ['ts-jest', { useESM: true, tsconfig: 'tsconfig.test.json', diagnostics: false }] },
};

export default {
  projects: [
    { ...typescript, displayName: 'unit', testMatch: ['<rootDir>/test/**/*.test.ts'], testPathIgnorePatterns: ['/test/e2e/'] },
  ],
};
