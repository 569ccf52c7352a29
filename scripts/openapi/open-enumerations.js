import { sentSchemas } from './closed-requests.js';

/** Members and schemas whose values do not grow: a client may use them without a default case. */
const CLOSED = new Set([
  ...['state', 'valid', 'final', 'scheme', 'op', 'uuidVersion'],
  ...['IdentifierState', 'NamingAuthorityState', 'NamingAuthorityProfile', 'MetadataIdScheme'],
]);

/**
 * Makes the enumerations of responses texts with `x-extensible-enum`, the values of today: a client that was generated from the document
 * reads a value that a later version adds. Enumerations that requests have too keep a closed schema for these, with the suffix "Input"
 * (`separateInputs`).
 */
export function openEnumerations(document) {
  const { schemas } = document.components;
  for (const name of sentSchemas(document)) {
    if (!CLOSED.has(name)) schemas[name] = opened(schemas[name]);
  }
}

/** Whether responses have the schema as an open enumeration. */
export function isOpenEnumeration(name, schema) {
  return schema?.enum !== undefined && !CLOSED.has(name);
}

function opened(schema) {
  if (schema?.enum !== undefined && schema.readOnly !== true) return withOpenValues(schema);
  const { properties, items } = schema ?? {};
  if (items !== undefined) return { ...schema, items: opened(items) };
  if (properties === undefined) return schema;
  const members = Object.entries(properties).map(([name, member]) => [
    name,
    CLOSED.has(name) ? member : opened(member),
  ]);
  return { ...schema, properties: Object.fromEntries(members) };
}

function withOpenValues({ enum: values, ...schema }) {
  if (!values.some((value) => typeof value === 'string')) return { ...schema, enum: values };
  return { ...schema, 'x-extensible-enum': values.filter((value) => value !== null) };
}
