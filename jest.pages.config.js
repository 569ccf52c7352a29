/** The tests of pages in Chromium, which `npm run test:pages` runs after it has found the browser. */
import jest from './jest.config.js';

const [, { displayName: _, globalSetup: __, globalTeardown: ___, ...typescript }] = jest.projects;

export default { ...typescript, testMatch: ['<rootDir>/test/browser/*.pages.ts'], testTimeout: jest.testTimeout };
