/**
 * Pages for people: HTML of records, errors, forms and redirects. The functions are pure and use no network or clock. A page is
 * complete without its script. Send it with `PAGE_CONTENT_SECURITY_POLICY`.
 */
export { PAGE_CONTENT_SECURITY_POLICY } from './layout.js';
export { badRequestPage, choicePage, hintsFor, unknownNamePage } from './error-pages.js';
export { formPage, frontPage, redirectPage } from './front-page.js';
export type { NameLink } from './visible-text.js';
export { MAX_PAGE_EVENTS, type PageEvent, type PageRecord, type PageValue } from './page-record.js';
export { recordPage, withdrawnPage } from './record-page.js';
