/** The frequent statements of the built service, for tests that count what they read. */
import { randomUUID } from 'node:crypto';
import type pg from 'pg';
import { COUNT } from '../../../dist/storage/naming-authorities/naming-authority-counts.js';
import { digestOf } from '../../../dist/registry/uuid.js';
import { ChangeReader, HAS_EVENT } from '../../../dist/storage/changes/change-reader.js';
import {
  LOG_HEAD,
  LOG_HEAD_WITHOUT,
  type LogFilter,
  type LogPosition,
  logPage,
} from '../../../dist/storage/changes/log-page.js';
import { HistoryReads } from '../../../dist/storage/replica/reads.js';
import { LOG_POLL } from '../../../dist/storage/changes/log-follower.js';
import { IdentifierSearch } from '../../../dist/storage/identifiers/identifier-search.js';
import { CoalescedReader } from '../../../dist/storage/identifiers/coalesced-reader.js';
import { ResolutionReader } from '../../../dist/storage/identifiers/cache/resolution-reader.js';
import { IdentifierPages } from '../../../dist/storage/identifiers/identifier-pages.js';
import { IdentifierReader } from '../../../dist/storage/identifiers/identifier-reader.js';
import { IdentifierUpdater } from '../../../dist/storage/identifiers/identifier-updater.js';
import { IMPORT, importValues } from '../../../dist/storage/identifiers/import-statement.js';
import { insertQuery } from '../../../dist/storage/identifiers/insert-statement.js';
import { NameHolders } from '../../../dist/storage/identifiers/name-holders.js';
import { NearIdentifiers } from '../../../dist/storage/identifiers/near-identifiers.js';
import { COUNT_NAMES, PAGE_OF_NAMES } from '../../../dist/storage/identifiers/name-list.js';
import { searchQuery } from '../../../dist/storage/identifiers/value-search.js';
import { ConflictFinder } from '../../../dist/storage/identifiers/conflict-finder.js';
import { RequestResults } from '../../../dist/storage/request-results.js';

const canonical = (text: string) => ({
  canonical: text,
  comparison: text,
  rule: 'exact' as const,
  key: digestOf(text),
  keyFoldsCase: null,
  needsHandle: false,
});

/** Maximum rows that a statement for a few names may read in tables with tens of thousands. */
const FEW = 200;

/** 5,000 of each half of the log, and few more. */
const SEARCH = 10_000 + FEW;

const LOG_START = { position: 0n, id: 0n };
const LOG_END = { position: 2n ** 63n - 1n, id: 2n ** 63n - 1n };

/** An identifier with thousands of newer versions. */
export const OFTEN_REPLACED = 'f58fb49e-b1f8-48f0-a606-e84cef294be5';

/** Rows of a table that a statement may scan before statistics exist. */
export const SMALL_TABLE = 30_000;

interface Key {
  readonly key: string;
  readonly index: number;
}

/** A search for the values of Handles. */
const searchOf = (term: Parameters<typeof searchQuery>[0]['terms'][number], namingAuthorities: string[] | null) =>
  searchQuery({ terms: [term], namingAuthorities, offset: 0, limit: 1000 });

/** A new identifier, as the service builds it. */
export function item(
  name: string,
  request: Key | null,
  more: { alternate?: string; leaseUntil?: Date; previousVersion?: string } = {},
) {
  const metadata = canonical(`hdl:2000.01/${name}`);
  const { alternate, leaseUntil = null, previousVersion } = more;
  return {
    authority: { prefix: '100.102', version: 1, resolver: null },
    address: { namingAuthority: '100.102', guid: randomUUID().replaceAll('-', ''), localKey: null },
    ...{ localName: 'x', selfKey: null, metadata, target: null, leaseUntil, metadataRecord: null },
    alternates: alternate === undefined ? [] : [canonical(alternate)],
    ...(previousVersion !== undefined && {
      previousVersion: { canonical: `hdl:${previousVersion}`, key: digestOf(`hdl:${previousVersion}`) },
    }),
    request: request === null ? null : { ...request, fingerprint: digestOf(name) },
    actor: { client: 'anonymous', keyId: null },
  } as never;
}

export const many = (count: number, make: (n: number) => object) =>
  Array.from({ length: count }, (_, n) => make(n)) as never[];

const imported = (n: number) => {
  const life = { state: 'active', version: 3, createdAt: new Date(), updatedAt: new Date(), tombstone: null };
  return { ...(item(`imported-${n}`, null, { alternate: `new:${n}` }) as object), ...life } as never;
};

/** The alternate of a mint that claims a name, and a mint with a name of the request. */
const claiming = (n: number) => {
  const here = { namingAuthority: '100.102', address: { ...CORDRA, guid: randomUUID(), localKey: null } };
  return { ...(item(`c${n}`, null) as object), alternates: [{ ...canonical(`claimed:${n}`), here }] };
};
const registered = (n: number) => ({ ...(item(`own${n}`, null) as object), selfKey: digestOf(`own${n}`) });
const both = (n: number) => ({ ...registered(n), alternates: claiming(n).alternates });

const name = (n: number) => ({ address: null, name: canonical(`hdl:2000.01/1-${n}`) });
const unusedKey = { client: 'anonymous', key: 'not-used-before', index: 0, fingerprint: digestOf('x') };
const knownKey = (n: number) => ({ ...unusedKey, key: 'stream-1', index: 2 * n + 2 });

/** The frequent statements, each with the maximum of rows that it may read. */
export const STATEMENTS: [string, number, (on: pg.Client) => Promise<unknown>][] = [
  ['a mint without a key', FEW, (on) => on.query(insertQuery([item('a', null)]))],
  ['a mint with a new key', FEW, (on) => on.query(insertQuery([item('a', { key: 'new', index: 0 })]))],
  ['a mint with the key of a stream', FEW, (on) => on.query(insertQuery([item('a', { key: 'stream-1', index: 0 })]))],
  ['a group of mints without keys', FEW, (on) => on.query(insertQuery(many(100, (n) => item(`g${n}`, null))))],
  [
    'a group of mints with keys',
    4 * FEW,
    (on) => on.query(insertQuery(many(100, (n) => item(`g${n}`, { key: `new-${n}`, index: 0 })))),
  ],
  [
    'a chunk of a stream with a key',
    4 * FEW,
    (on) => on.query(insertQuery(many(100, (n) => item(`s${n}`, { key: 'stream-new', index: 2 * n + 2 })))),
  ],
  [
    'mints with alternates',
    4 * FEW,
    (on) => on.query(insertQuery(many(50, (n) => item(`m${n}`, null, { alternate: `other:${n}` })))),
  ],
  ['mints with alternates that claim names', 6 * FEW, (on) => on.query(insertQuery(many(50, claiming)))],
  ['registrations', 4 * FEW, (on) => on.query(insertQuery(many(50, registered)))],
  ['registrations with alternates that claim names', 6 * FEW, (on) => on.query(insertQuery(many(50, both)))],
  ['what is in the way of registrations that claim names', 6 * FEW, (on) => conflicts(on).find(many(50, both))],
  [
    'new versions of one object',
    4 * FEW,
    (on) =>
      on.query(insertQuery(many(50, (n) => item(`v${n}`, null, { previousVersion: `100.102/${OFTEN_REPLACED}` })))),
  ],
  [
    'a registration',
    FEW,
    (on) => on.query(insertQuery([{ ...(item('own', null) as object), selfKey: digestOf('own') } as never])),
  ],
  ['an identifier with thousands of newer versions', FEW, (on) => finder(on).find({ ...CORDRA, guid: OFTEN_REPLACED })],
  [
    'a resolution of an identifier with thousands of newer versions',
    FEW,
    (on) => resolution(on).find({ ...CORDRA, guid: OFTEN_REPLACED }),
  ],
  [
    'a reservation of 250',
    4 * FEW,
    (on) => on.query(insertQuery(many(250, (n) => item(`r${n}`, null, { leaseUntil: new Date('2099-01-01') })))),
  ],
  ['an import', 4 * FEW, (on) => on.query(IMPORT, importValues(many(50, imported)))],
  [
    'what is in the way of mints without keys',
    4 * FEW,
    (on) => conflicts(on).find(many(50, (n) => item(`1-${n}`, null))),
  ],
  [
    'what is in the way of mints with keys',
    4 * FEW,
    (on) => conflicts(on).find(many(50, (n) => item(`none-${n}`, { key: `new-${n}`, index: 0 }))),
  ],
  [
    'the metadata IDs in the way of a few mints',
    2 * FEW,
    (on) => conflicts(on).find(many(16, (n) => item(`1-${n}`, { key: `new-${n}`, index: 0 }))),
  ],
  ['the records of a few known keys', 2 * FEW, (on) => results(on).find(many(16, knownKey), on, true)],
  ['how the keys of a repeated chunk are used', 10 * FEW, (on) => results(on).find(many(100, knownKey))],
  [
    'what is in the way of a repeated chunk',
    10 * FEW,
    (on) => conflicts(on).find(many(100, (n) => item(`1-${n}`, { key: 'stream-1', index: 2 * n + 2 }))),
  ],
  ['how a new key is used', FEW, (on) => results(on).find([unusedKey])],
  ['how the key of a line is used', FEW, (on) => results(on).find([{ ...unusedKey, key: 'stream-1', index: 2000 }])],
  ['storing the result of a mint', FEW, (on) => results(on).store([{ mint: unusedKey, result: {}, found: null }])],
  [
    'storing the results of a chunk',
    4 * FEW,
    (on) =>
      results(on).store(many(100, (n) => ({ mint: { ...unusedKey, index: 2 * n + 2 }, result: {}, found: null }))),
  ],
  ['a reservation that does not exist', FEW, (on) => reader(on).findByReservation(randomUUID())],
  ['ended leases', FEW, (on) => reader(on).findExpiredIds(100)],
  ['records by their ids', FEW, (on) => reader(on).findByIds([1n, 2n, 3n])],
  ['the records of replays', FEW, (on) => partsOf(on, [1n, 2n, 3n])],
  ['a look-up of one identifier', FEW, (on) => finder(on).find({ ...CORDRA, guid: randomUUID() })],
  [
    'a look-up of one local name',
    FEW,
    (on) => finder(on).find({ ...OTHER, localKey: digestOf('none'), comparison: 'none' }),
  ],
  ['a resolution of one identifier', FEW, (on) => resolution(on).find({ ...CORDRA, guid: randomUUID() })],
  [
    'a resolution of one local name',
    FEW,
    (on) => resolution(on).find({ ...OTHER, localKey: digestOf('none'), comparison: 'none' }),
  ],
  ['a look-up of one metadata ID', FEW, (on) => finder(on).findByMetadataId(canonical('hdl:2000.01/1-7'))],
  ['a look-up of 100 names', 4 * FEW, (on) => new IdentifierSearch(on).find(many(100, (n) => [name(n)]))],
  [
    'a look-up of 100 texts as names and as opaque metadata IDs',
    8 * FEW,
    (on) => new IdentifierSearch(on).find(many(100, (n) => [{ ...name(n), opaque: canonical(`opaque:${n}`) }])),
  ],
  [
    'the list of a metadata ID of both schemes',
    FEW,
    (on) => {
      const filter = { metadata: canonical('hdl:2000.01/1-7'), opaqueMetadata: canonical('opaque:1-7') };
      return new IdentifierPages(on as never).page(filter, { limit: 100 });
    },
  ],
  ['a look-up of 100 GUIDs', 4 * FEW, (on) => new IdentifierSearch(on).find(many(100, () => [{ guid: randomUUID() }]))],
  [
    'a look-up of 100 texts as names and targets by a restricted reader',
    8 * FEW,
    (on) =>
      new IdentifierSearch(on).find(
        many(100, (n) => [name(n), { target: `https://x.example/${n}` }]),
        { visible: ['100.102'], curated: ['100.102'] },
      ),
  ],
  [
    'the nearest name to one of which a digit is missing, and to one that is cut',
    FEW,
    (on) => {
      const guids = Array.from({ length: 500 }, () => randomUUID());
      const start = randomUUID().replaceAll('-', '').slice(0, 16);
      const search = { namingAuthority: '100.102', guids, localKeys: [digestOf('none')], start };
      return new NearIdentifiers(on).find(() => search);
    },
  ],
  ['the first events', 3 * FEW, (on) => events(on, LOG_START)],
  ['the last event', FEW, (on) => on.query(LOG_HEAD)],
  ['the last event where a naming authority does not exist', FEW, (on) => on.query(LOG_HEAD_WITHOUT, [['99.99']])],
  ['the last events', 3 * FEW, (on) => events(on, LOG_END, '-at')],
  [
    'the event of a cursor',
    6,
    async (on) => {
      const { position, id } = await middleOf(on);
      return on.query(HAS_EVENT, [position.toString(), id.toString()]);
    },
  ],
  ['events in the middle of the log', 4 * FEW, async (on) => events(on, await middleOf(on))],
  ['events before the middle of the log', 4 * FEW, async (on) => events(on, await middleOf(on), '-at')],
  ['a search of 5,000 events for another naming authority', SEARCH, (on) => search(on, { namingAuthorities: [OWN] })],
  [
    'a search of 5,000 events for a client and a kind',
    SEARCH,
    (on) => search(on, { client: 'nobody', kind: 'withdrawn' }),
  ],
  ['a search of 5,000 events backwards', SEARCH, (on) => search(on, { namingAuthorities: [OWN] }, '-at')],
  ['a poll of the log', FEW, async (on) => on.query(LOG_POLL, [await snapshotOf(on), 10_001])],
  [
    'a poll of the log after 100 transactions were open',
    FEW,
    async (on) => on.query(LOG_POLL, [await snapshotOf(on, 100), 10_001]),
  ],
  ['the history of an identifier', FEW, (on) => new ChangeReader(on as never).ofIdentifier(2n, 0, 100)],
  ['the first events of identifiers', FEW, (on) => new ChangeReader(on as never).valuesAsMinted([2n, 3n], on)],
  ['the last changes of an identifier', FEW, (on) => new HistoryReads(on, null).lastOfIdentifier(2n, 20, true)],
  [
    'the first change of 100 identifiers',
    12 * FEW,
    async (on) => {
      const changes = new IdentifierUpdater(reader(on));
      const { now, records } = await changes.lock(
        on,
        many(100, (n) => BigInt(n + 1) as never),
      );
      const amendment = { kind: 'changed', target: 'https://x.example/' } as const;
      await changes.write(
        on,
        { client: 'service', keyId: null },
        now,
        records.map((record) => ({ record, amendment })),
      );
    },
  ],
  [
    'the ids of 100 identifiers',
    4 * FEW,
    (on) =>
      new NameHolders(on as never).findIds([
        ...many(50, () => ({ ...CORDRA, guid: randomUUID() })),
        ...many(50, (n) => ({ ...OTHER, localKey: digestOf(`none-${n}`), comparison: `none-${n}` })),
      ]),
  ],
  [
    'the holders of 200 names',
    4 * FEW,
    (on) => {
      const held = (kind: string, text: string) => ({ namingAuthority: '100.102', kind, name: canonical(text) });
      return new NameHolders(on as never).findHolders([
        ...many(50, (n) => held('metadataId', `hdl:2000.01/1-${n}`)),
        ...many(50, (n) => held('alternateId', `demo:${3 * n}`)),
        ...many(50, (n) => ({ ...held('identifier', `own:${n}`), address: { ...CORDRA, guid: randomUUID() } })),
        ...many(50, (n) => ({ ...held('identifier', `own:${n}`), address: { ...OTHER, localKey: digestOf(`${n}`) } })),
      ]);
    },
  ],
  ['the counts of an empty naming authority', FEW, (on) => on.query(COUNT, [['2000.01'], 10_001])],
  ['the number of names of an empty naming authority', FEW, (on) => on.query(COUNT_NAMES, ['2000.01', 100_001])],
  ['the names of an empty naming authority', FEW, (on) => on.query(PAGE_OF_NAMES, ['2000.01', 100_000, true, 0, 10])],
  ['the number of names up to a limit', SMALL_TABLE, (on) => on.query(COUNT_NAMES, ['100.102', FEW])],
  ['the names up to a limit', SMALL_TABLE, (on) => on.query(PAGE_OF_NAMES, ['100.102', FEW, true, 0, 10])],
  [
    'the handles of a target',
    FEW,
    (on) => on.query(searchOf({ kind: 'target', target: 'https://x.example/none' }, ['100.102'])),
  ],
  [
    'the handles of a metadata ID',
    FEW,
    (on) => on.query(searchOf({ kind: 'metadata', name: canonical('hdl:2000.01/none') }, null)),
  ],
  [
    'the handles of a metadata ID of both schemes',
    FEW,
    (on) => {
      const [name, opaque] = [canonical('hdl:2000.01/none'), canonical('opaque:none')];
      return on.query(searchOf({ kind: 'metadata', name, opaque }, null));
    },
  ],
];

/** Their plan depends on the length of the log, so the service does not prepare them. */
export const PLANNED_EACH_TIME = new Set([
  ...['the first events', 'the last event', 'the last events'],
  ...['events in the middle of the log', 'events before the middle of the log'],
  'a search of 5,000 events for another naming authority',
  'a search of 5,000 events for a client and a kind',
  'a search of 5,000 events backwards',
]);

/** Before statistics exist, they may read a small table once: the first one sorts the rows of one key, of which it returns the first. */
export const READ_ONCE_BEFORE_STATISTICS = new Set([
  'an identifier with thousands of newer versions',
  'a search of 5,000 events for another naming authority',
  'a search of 5,000 events for a client and a kind',
  'a search of 5,000 events backwards',
]);

/** Their limit is not what they return, so the service runs them only in sessions without sequential scans. */
export const NEVER_SCANNED = new Set(['a poll of the log', 'a poll of the log after 100 transactions were open']);

/** A snapshot of the present, with numbers of open transactions that have not written anything. */
const snapshotOf = async (on: pg.Client, open = 0): Promise<string> => {
  const { rows } = await on.query<{ next: string }>('SELECT pg_snapshot_xmax(pg_current_snapshot())::text AS next');
  const next = Number(rows[0]!.next);
  const numbers = Array.from({ length: open }, (_, n) => next + n);
  return `${next}:${next + open}:${numbers.join(',')}`;
};

/** A place in the middle of the log. */
const middleOf = async (on: pg.Client): Promise<LogPosition> => {
  const { rows } = await on.query<{ position: string; id: string }>(
    'SELECT position, id FROM identifier WHERE id = (SELECT max(id) / 2 FROM identifier)',
  );
  return rows[0] === undefined ? LOG_START : { position: BigInt(rows[0].position), id: BigInt(rows[0].id) };
};

const events = (on: pg.Client, after: LogPosition, order: 'at' | '-at' = 'at') =>
  on.query(logPage(after, { limit: 100, order, filter: null }, 101));

const OWN = { namingAuthority: '2000.01', derived: true };

const search = (on: pg.Client, filter: Partial<LogFilter>, order: 'at' | '-at' = 'at') =>
  on.query(
    logPage(
      order === 'at' ? LOG_START : LOG_END,
      { limit: 100, order, filter: { namingAuthorities: null, kind: null, client: null, ...filter } },
      5000,
    ),
  );

const CORDRA = { namingAuthority: '100.102', localKey: null, comparison: null, foldsCase: false } as const;
const OTHER = { namingAuthority: '100.102', guid: null, foldsCase: false } as const;
export const results = (on: pg.Client) =>
  new RequestResults(on as never, { statement: (work: (on: pg.Client) => unknown) => work(on) } as never);
export const conflicts = (on: pg.Client) => new ConflictFinder(on as never);
export const reader = (on: pg.Client) => new IdentifierReader(on as never);

const partsOf = async (on: pg.Client, ids: bigint[]) => {
  const most = { items: 1000, bytes: 1_000_000 };
  for await (const { part } of reader(on).inParts(ids, (id) => [id], most)) if (part.length === 0) return;
};
const resolution = (on: pg.Client) => new ResolutionReader(on as never);
const finder = (on: pg.Client) => new CoalescedReader(on);
