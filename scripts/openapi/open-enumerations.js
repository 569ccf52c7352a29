import { sentSchemas } from './closed-requests.js';

/** Members and schemas to which no values are added, so that a client needs no default case. */
const CLOSED = new Set([
  ...['state', 'valid', 'final', 'scheme', 'op', 'uuidVersion'],
  ...['IdentifierState', 'NamingAuthorityState', 'NamingAuthorityProfile', 'MetadataIdScheme'],
]);

/** Enumerations with the same schema in requests and responses, because a line of an export is also a line of an import. */
const SHARED = new Set(['ReasonCode']);

/**
 * Replaces `enum` by `x-extensible-enum` in the schemas of responses, so that a client that was generated from the document accepts a value
 * that a later version adds.
 */
export function openEnumerations(document) {
  const { schemas } = document.components;
  for (const name of sentSchemas(document)) {
    if (!CLOSED.has(name)) schemas[name] = opened(schemas[name]);
  }
}

/** Whether the schema has a list of values in requests, but is open in responses. */
export function isOpenEnumeration(name, schema) {
  return schema?.enum !== undefined && !CLOSED.has(name) && !SHARED.has(name);
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
