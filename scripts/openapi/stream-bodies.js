import { isReference, operationsOf } from './document.js';

const LINES = ['application/x-ndjson', 'application/jsonl'];
const CSV = 'text/csv';

/**
 * Describes bodies of lines and of rows as texts, because a client that parses such a body as one JSON document fails at its second line.
 * The schema of a line stays in `contentSchema` (JSON Schema 2020-12, Validation 8.5), which OpenAPI 3.1 permits.
 * @param columnsOf the columns of CSV by operation.
 */
export function describeStreams(document, columnsOf = {}) {
  for (const { operation } of operationsOf(document)) {
    const columns = columnsOf[operation.operationId];
    describeLines(operation.requestBody?.content, columns);
    for (const response of Object.values(operation.responses)) {
      if (!isReference(response)) describeLines(response.content, columns);
    }
  }
}

function describeLines(content = {}, columns = []) {
  const rows = content[CSV];
  if (rows !== undefined)
    rows.schema = {
      type: 'string',
      description: `Rows of CSV (RFC 4180). The first row names the columns: ${columns.map((name) => `\`${name}\``).join(', ')}.`,
    };
  for (const type of LINES) {
    const media = content[type];
    if (media?.schema === undefined || media.schema.type === 'string') continue;
    const names = Array.from(
      JSON.stringify(media.schema).matchAll(/schemas\/(\w+)"/g),
      ([, name = '']) => `\`${name}\``,
    );
    media.schema = {
      type: 'string',
      description: `A stream of lines. Each line is ${names.join(' or ')} as JSON, and a line feed.`,
      contentMediaType: type,
      contentSchema: { type: 'array', items: media.schema },
    };
  }
}
