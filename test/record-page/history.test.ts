import { expect, it } from '@jest/globals';
import { DEFAULT_RESOLVER, urisOf } from '@mintmark/identifier';
import { recordPage } from '../../src/record-page/index.js';
import { identifierOf } from '../../src/registry/identifier-record.js';
import { recordWith } from '../records.js';

it.each([
  ['changed', 'The last 2 changes, newest first.'],
  ['imported', 'All changes, newest first.'],
] as const)('a history whose oldest change, of version 8, is "%s" is described as "%s"', (kind, caption) => {
  const record = recordWith({ version: 9 });
  const uris = urisOf(identifierOf(record), { resolver: DEFAULT_RESOLVER });
  const last = { version: 9, kind: 'changed', at: new Date(0), client: null } as const;
  const page = recordPage({ record, uris, values: null, history: [last, { ...last, version: 8, kind }] });
  expect(page).toContain(caption);
});
