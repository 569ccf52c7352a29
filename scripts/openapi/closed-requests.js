import { operationsOf } from './document.js';

/**
 * Sets `additionalProperties: false` on the objects of request bodies, because validation rejects unknown members. A schema that
 * responses also have stays open, because later versions add members to responses.
 */
export function closeRequestSchemas(document) {
  const sent = sentSchemas(document);
  for (const name of requestedSchemas(document)) {
    const schema = document.components.schemas[name];
    if (schema?.type === 'object' && !sent.has(name)) schema.additionalProperties = false;
  }
}

/** The names of the schemas of bodies and parameters of requests, except those of read-only members. */
export function requestedSchemas(document) {
  const parts = operationsOf(document).flatMap(({ operation: { requestBody, parameters } }) => [
    requestBody,
    parameters,
  ]);
  return schemasOf(document, parts, true);
}

export function sentSchemas(document) {
  return schemasOf(
    document,
    operationsOf(document).map(({ operation }) => operation.responses),
  );
}

/** The names of the schemas that parts of the document refer to, directly or through other schemas. */
export function schemasOf({ components }, parts, withoutReadOnly = false) {
  const read = (part) => referencesIn(part, withoutReadOnly);
  const unread = parts.flatMap(read);
  const found = new Set();
  for (let name = unread.pop(); name !== undefined; name = unread.pop()) {
    if (found.has(name)) continue;
    found.add(name);
    unread.push(...read(components.schemas[name]));
  }
  return found;
}

function referencesIn(part, withoutReadOnly) {
  const text = JSON.stringify(part ?? null, (_, value) =>
    withoutReadOnly && value?.readOnly === true ? undefined : value,
  );
  return Array.from(text.matchAll(/"\$ref":"#\/components\/schemas\/([^"]+)"/g), ([, name = '']) => name);
}
