import { CHANGE_COLUMNS } from '../../dist/api/changes/change-columns.js';
import { IMPORT_COLUMNS } from '../../dist/api/import-export/transfer-columns.js';
import { isReference, operationsOf } from './document.js';

const NDJSON = 'application/x-ndjson';
const CSV = 'text/csv';

/** The columns of CSV by operation. */
const COLUMNS = new Map([
  ['changeIdentifiers', CHANGE_COLUMNS.names],
  ['exportIdentifiers', IMPORT_COLUMNS.names],
  ['importIdentifiers', IMPORT_COLUMNS.names],
]);

/**
 * Describes bodies of lines and of rows as texts, because a client that reads one as a JSON document fails at its second line. The
 * schema of a line stays in `contentSchema` (JSON Schema 2020-12, Validation 8.5), which OpenAPI 3.1 permits.
 */
export function describeStreams(document) {
  for (const { operation } of operationsOf(document)) {
    const columns = COLUMNS.get(operation.operationId);
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
      description: `Rows of CSV (RFC 4180), the first one with names of columns: ${columns.map((name) => `\`${name}\``).join(', ')}.`,
    };
  const media = content[NDJSON];
  if (media?.schema === undefined || media.schema.type === 'string') return;
  const names = Array.from(JSON.stringify(media.schema).matchAll(/schemas\/(\w+)"/g), ([, name = '']) => `\`${name}\``);
  media.schema = {
    type: 'string',
    description: `A stream of lines, each one ${names.join(' or ')} as JSON and a line feed.`,
    contentMediaType: NDJSON,
    contentSchema: { type: 'array', items: media.schema },
  };
}
