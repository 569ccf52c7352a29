import { requestedSchemas } from './closed-requests.js';
import { isReference } from './document.js';

/** Set by `NullIsAbsent`. */
export const NULL_IS_ABSENT = 'x-null-is-absent';

/** Permits null for the optional members of requests in which null means absent. Runs after `separateInputs`. */
export function permitNulls(document) {
  const requested = requestedSchemas(document);
  for (const [name, schema] of Object.entries(document.components.schemas)) {
    const isMarked = schema[NULL_IS_ABSENT] === true;
    Reflect.deleteProperty(schema, NULL_IS_ABSENT);
    if (!isMarked || !requested.has(name)) continue;
    for (const [member, value] of Object.entries(schema.properties ?? {})) {
      if (schema.required?.includes(member) !== true && value.readOnly !== true)
        schema.properties[member] = nullable(value);
    }
  }
}

function nullable({ allOf, ...member }) {
  if (isReference(member)) return { anyOf: [member, { type: 'null' }] };
  if (allOf !== undefined) return { ...member, anyOf: [...allOf, { type: 'null' }] };
  if (typeof member.type !== 'string') return member;
  return {
    ...member,
    type: [member.type, 'null'],
    ...(member.enum !== undefined && { enum: [...member.enum, null] }),
  };
}
