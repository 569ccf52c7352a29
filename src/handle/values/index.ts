/** The values of a Handle: their model, the stored and the computed ones of a record, their selection and their JSON. */
export {
  type HandleResponse,
  apiText,
  invalidResponse,
  jsonText,
  notFoundResponse,
  notResponsibleResponse,
  valuesResponse,
  withdrawnResponse,
} from './api-response.js';
export { COMPUTED_INDEX, computedValues } from './computed-values.js';
export { type EditedValues, type ValuesToPut, putValues, requireComputable, withoutValues } from './edit-values.js';
export { HandleFault, RESPONSE_CODE, type ResponseCode, indexConflict, invalidInput } from './handle-fault.js';
export {
  type AdminData,
  DEFAULT_TTL_SECONDS,
  type HandleValue,
  isPublic,
  PERMISSION,
  PUBLIC_PERMISSIONS,
  type TimeToLive,
  type ValueData,
  type ValueReference,
  type ValueSource,
} from './handle-value.js';
export {
  MAX_VALUES,
  MAX_VALUES_BYTES,
  type ParsedBody,
  indexIn,
  parseExportedValues,
  parseValues,
  requireStorableSize,
} from './parse-values.js';
export {
  type StoredValueSource,
  handleValueOf,
  isAdmin,
  isMetadataId,
  storedOf,
  storedValueOf,
  valuesOf,
  withMetadataId,
} from './record-values.js';
export { selectValues, type ValueSelection } from './record-values.js';
export { isUrl, targetIn, targetOfText, withTarget } from './url-target.js';
export { adminPermissionsText, timeText, valueJson, type ValueJson } from './value-json.js';
