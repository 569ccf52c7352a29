import {
  type PageRecord,
  badRequestPage,
  choicePage,
  formPage,
  frontPage,
  hintsFor,
} from '../../dist/record-page/index.js';
import { recordPage, redirectPage, unknownNamePage, withdrawnPage } from '../../dist/record-page/index.js';
import { DEFAULT_RESOLVER, urisOf } from '@mintmark/identifier';
import { type IdentifierRecord, identifierOf } from '../../dist/registry/identifier-record.js';

const GUID = 'F58FB49EB1F848F0A606E84CEF294BE5';

/** A name with markup, letters that are written from right to left, and a character for each escape. */
export const HOSTILE = '20.500/<script>alert(1)</script>"\'&\u05D0\u05D1\u05D2\u0627\u0628';

const record = (members: object = {}): IdentifierRecord => ({
  id: 7n,
  namingAuthority: '100.102',
  guid: GUID,
  localName: GUID,
  metadataId: 'hdl:2000.01/A3D8BE7457C943FFB66ED4583059A8BA',
  target: 'https://repo.example.org/objects/7',
  language: 'de',
  alternateIds: ['info:fedora/demo:7', 'hdl:10.1000/182'],
  previousVersion: null,
  handleValues: null,
  sandbox: false,
  state: 'active',
  leaseUntil: null,
  tombstone: null,
  version: 3,
  createdAt: new Date('2026-11-20T09:30:00Z'),
  updatedAt: new Date('2026-11-22T14:05:00Z'),
  resolver: null,
  describes: [],
  newerVersions: [],
  ...members,
});

const HISTORY = [
  { version: 3, kind: 'changed' as const, at: new Date('2026-11-22T14:05:00Z'), client: 'repository' },
  { version: 2, kind: 'activated' as const, at: new Date('2026-11-21T08:00:00Z'), client: 'repository' },
  { version: 1, kind: 'reserved' as const, at: new Date('2026-11-20T09:30:00Z'), client: 'ingest' },
];

const VALUES = [
  { index: 1, type: 'URL', data: 'https://repo.example.org/objects/7', ttl: 86_400, timestamp: '2026-11-22T14:05:00Z' },
  {
    index: 100,
    type: 'HS_ADMIN',
    data: 'handle=0.NA/100.102; index=200',
    ttl: 86_400,
    timestamp: '2026-11-20T09:30:00Z',
  },
];

const shown = (members: object = {}, more: object = {}): PageRecord => {
  const of = record(members);
  return {
    record: of,
    uris: urisOf(identifierOf(of), { resolver: DEFAULT_RESOLVER }),
    values: null,
    history: HISTORY,
    ...more,
  };
};

const [namingAuthority, localName] = ['20.500', HOSTILE.slice('20.500/'.length)];

const tombstone = {
  withdrawnAt: new Date('2026-11-22T14:05:00Z'),
  reasonCode: 'duplicate' as const,
  reason: 'The object was deposited twice.',
  replacedBy: '100.102/A3D8BE7457C943FFB66ED4583059A8BA',
};

/** Every page, by its path on the server of the tests. */
export const PAGES: Readonly<Record<string, string>> = {
  '/record': recordPage(shown({}, { historyUrl: `/identifiers/100.102/${GUID}/history` })),
  '/values': recordPage(shown({ target: null, metadataId: null }, { values: VALUES, history: null })),
  '/reserved': recordPage(shown({ state: 'reserved', leaseUntil: new Date('2027-01-31T00:00:00Z') })),
  '/hostile': recordPage(shown({ namingAuthority, localName, guid: null })),
  '/longest': recordPage(shown({ namingAuthority, localName: 'x'.repeat(4000), guid: null, alternateIds: [] })),
  '/withdrawn': withdrawnPage(shown({ state: 'withdrawn', tombstone })),
  '/unknown': unknownNamePage(
    '100.102/O58FB49EB1F848F0A606E84CEF294BE5.',
    hintsFor('100.102/O58FB49EB1F848F0A606E84CEF294BE5.'),
  ),
  '/malformed': badRequestPage('100.102\u202E/\u0000x', 'expected 32 hexadecimal digits, found 31'),
  '/redirect': redirectPage('https://repo.example.org/objects/7'),
  '/': formPage(),
  '/front': frontPage('http://localhost:3000', true),
  '/choice': choicePage('https://repo.example.org/shared', [
    { name: `100.102/${GUID}`, url: `/100.102/${GUID}?noredirect` },
  ]),
};
