/** The tests of pages in Chromium, which `npm run test:pages` runs after it has found the browser. */
import jest, { typescript } from './jest.config.js';

export default {
  ...typescript,
  testMatch: ['<rootDir>/test/browser/*.pages.ts'],
  reporters: jest.reporters,
  testTimeout: jest.testTimeout,
};
