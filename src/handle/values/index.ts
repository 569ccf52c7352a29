/** The values of a Handle: the stored and computed values of a record, their selection, their changes and their JSON. */
export * from './api-response.js';
export * from './computed-values.js';
export * from './edit-values.js';
export * from './handle-fault.js';
export { MAX_INDEX, numberIn } from './parse-data.js';
export * from './parse-values.js';
export * from './record-values.js';
export * from './url-target.js';
export * from './value-json.js';
