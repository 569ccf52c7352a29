import { operationsOf } from './document.js';

/** Sets `additionalProperties: false` on every object of a request body: validation rejects unknown members. */
export function closeRequestSchemas(document) {
  for (const name of schemasOf(
    document,
    operationsOf(document).map(({ operation }) => operation.requestBody),
  )) {
    const schema = document.components.schemas[name];
    if (schema?.type === 'object') schema.additionalProperties = false;
  }
}

/** The names of the schemas that parts of the document refer to, directly or through other schemas. */
export function schemasOf({ components }, parts) {
  const unread = parts.flatMap(referencesIn);
  const found = new Set();
  for (let name = unread.pop(); name !== undefined; name = unread.pop()) {
    if (found.has(name)) continue;
    found.add(name);
    unread.push(...referencesIn(components.schemas[name]));
  }
  return found;
}

function referencesIn(part) {
  const references = JSON.stringify(part ?? null).matchAll(/"\$ref":"#\/components\/schemas\/([^"]+)"/g);
  return Array.from(references, ([, name = '']) => name);
}
