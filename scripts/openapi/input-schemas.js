import { requestedSchemas, schemasOf, sentSchemas } from './closed-requests.js';
import { isReference, operationsOf } from './document.js';
import { NULL_IS_ABSENT } from './null-members.js';
import { isOpenEnumeration } from './open-enumerations.js';

const SCHEMAS = '#/components/schemas/';

/** Schemas whose members are all in every response, even members that a request may omit although they have no default. */
const COMPLETE = new Set(['TransferLine']);

/**
 * Splits a schema that requests and responses share, if the schema has an open enumeration or a member with a default: a request may omit
 * such a member, but a response always has it. The schema of the request has the suffix "Input". Defaults become words, because some
 * generators require members with a default even in requests. Only the schema of the request has the sentences that begin with "In a
 * request".
 */
export function separateInputs(document) {
  const { schemas } = document.components;
  const operations = operationsOf(document).map(({ operation }) => operation);
  const requested = requestedSchemas(document);
  const sent = sentSchemas(document);
  const both = [...requested].filter((name) => sent.has(name) && differs(document, name));
  const inputs = new Map(both.map((name) => [`${SCHEMAS}${name}`, `${SCHEMAS}${name}Input`]));
  for (const name of both) {
    const input = `${name}Input`;
    if (input in schemas) throw new Error(`the schema ${input} exists already`);
    schemas[input] = structuredClone(schemas[name] ?? {});
    requested.delete(name);
    requested.add(input);
  }
  for (const operation of operations) {
    if (operation.requestBody !== undefined) operation.requestBody = redirected(operation.requestBody, inputs);
    if (operation.parameters !== undefined) operation.parameters = redirected(operation.parameters, inputs);
  }
  for (const name of requested) schemas[name] = withWordsForDefaults(redirected(schemas[name] ?? {}, inputs));
  for (const name of sent) requireDefaults(schemas[name] ?? {});
  for (const name of both) describeResponse(schemas[name] ?? {}, COMPLETE.has(name));
}

function differs(document, name) {
  const { schemas } = document.components;
  return [...schemasOf(document, [{ $ref: `${SCHEMAS}${name}` }], true)].some(
    (one) =>
      schemas[one]?.[NULL_IS_ABSENT] === true ||
      isOpenEnumeration(one, schemas[one]) ||
      Object.values(schemas[one]?.properties ?? {}).some((member) => 'default' in member),
  );
}

function redirected(part, inputs) {
  return JSON.parse(
    JSON.stringify(part, (key, value) =>
      key === '$ref' && typeof value === 'string' ? (inputs.get(value) ?? value) : value,
    ),
  );
}

function withWordsForDefaults(schema) {
  for (const member of Object.values(schema.properties ?? {})) {
    if (isReference(member) || !('default' in member)) continue;
    const words = `The default is \`${JSON.stringify(member.default)}\`.`;
    member.description = [member.description, words].filter(Boolean).join(' ');
    delete member.default;
  }
  return schema;
}

function describeResponse(schema, isComplete) {
  const { properties = {} } = schema;
  for (const member of Object.values(properties)) {
    const { description } = member;
    if (typeof description === 'string') member.description = description.replace(/\s*\bIn a request\b[^.]*\./g, '');
  }
  if (isComplete) schema.required = Object.keys(properties);
}

function requireDefaults(schema) {
  const members = Object.entries(schema.properties ?? {});
  const always = members.flatMap(([name, member]) => ('default' in member ? [name] : []));
  if (always.length === 0) return;
  schema.required = [...new Set([...(schema.required ?? []), ...always])];
  for (const [, member] of members) delete member.default;
}
