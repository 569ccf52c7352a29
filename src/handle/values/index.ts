/** The values of a Handle: the stored and the computed ones of a record, their selection, their changes and their JSON. */
export {
  type HandleResponse,
  INVALID_INDEX,
  LONG_NAME,
  apiText,
  invalidResponse,
  jsonText,
  notFoundResponse,
  notResponsibleResponse,
  tooLongResponse,
  valuesResponse,
  withdrawnResponse,
} from './api-response.js';
export { computedValues } from './computed-values.js';
export { type ValuesToPut, putValues, requireComputable, withoutValues } from './edit-values.js';
export { HandleFault, RESPONSE_CODE, invalidInput } from './handle-fault.js';
export { MAX_INDEX, numberIn } from './parse-data.js';
export { MAX_VALUES, type ParsedBody, parseExportedValues, parseValues, requireStorableSize } from './parse-values.js';
export {
  type ValueSelection,
  isMetadataId,
  selectValues,
  storedOf,
  valuesOf,
  withMetadataId,
} from './record-values.js';
export { isUrl, targetIn, targetOfText, withTarget } from './url-target.js';
export { adminOf, secondsToLive, textOf, valueJson } from './value-json.js';
