/** The values of a Handle: their model, those computed from a record, their selection and their JSON. Pure. */
export {
  type ApiAnswer,
  apiText,
  invalidAnswer,
  jsonText,
  notFoundAnswer,
  notResponsibleAnswer,
  RESPONSE_CODE,
  valuesAnswer,
  withdrawnAnswer,
} from './api-answer.js';
export { COMPUTED_INDEX, computedValues } from './computed-values.js';
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
export { selectValues, type ValueSelection } from './select-values.js';
export { adminPermissionsText, timeText, valueJson, type ValueJson } from './value-json.js';
