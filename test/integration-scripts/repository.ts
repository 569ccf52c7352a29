/**
 * The integration of a repository, with `fetch` only: it deposits 1,000 objects, retries, moves their site, publishes new versions,
 * withdraws old ones and reads the events. repository.py and repository.sh do the same.
 *
 * MINTMARK_URL               the service, such as http://localhost:3000
 * MINTMARK_KEY               an API key with the scopes mint and curate; not needed under open access
 * MINTMARK_NAMING_AUTHORITY  a naming authority that was created with "metadataIdScheme": "any"
 *
 * Each run deposits new objects. The last line of the output is a summary as JSON. The exit code is 1 if a check fails.
 */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';

const { MINTMARK_URL = 'http://localhost:3000', MINTMARK_KEY, MINTMARK_NAMING_AUTHORITY = '100.102' } = process.env;

const OBJECTS = 1000;
/** Attempts to send a request. */
const ATTEMPTS = 6;
/** Objects of a first attempt, which ends before all objects are sent. */
const INTERRUPTED = 400;
/** Objects that are deposited by a request each. */
const SINGLE = 10;
/** Objects that get a new version; the first one is withdrawn then. */
const REVISED = 100;

const run = randomUUID();
const oldSite = `https://old.example.org/${run}/`;
const newSite = `https://new.example.org/${run}/`;
const withdrawalReason = 'Replaced by a corrected version.';

interface Result {
  readonly line: number;
  readonly status: number;
  readonly identifier?: string;
  readonly ignored?: string[];
  readonly problem?: { readonly identifier?: string; readonly errors?: { readonly pointer: string }[] };
  readonly outcome?: 'changed' | 'same' | 'unknown' | 'forbidden';
  readonly version?: number;
  readonly old?: { target?: string };
  readonly new?: { target?: string };
}
interface Exported {
  readonly identifier: string;
  readonly target: string;
  readonly version: number;
}
interface Identifier {
  readonly identifier: string;
  readonly target: string | null;
  readonly previousVersion: string | null;
  readonly newerVersions: string[];
  readonly uris: { resolver: string };
  readonly ignored?: string[];
}
interface Withdrawn {
  readonly code: string;
  readonly tombstone: { reason: string; replacedBy: string | null };
}
interface EventPage {
  readonly items: { kind: string; identifier: string | null; version: number }[];
  readonly next: string;
  readonly end: boolean;
}

/** A response that has arrived as a whole. */
interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/** Whether the same request can succeed later. A repeat of a request in progress is 409. */
const isTemporary = (status: number, text: string): boolean =>
  [429, 503].includes(status) || (status === 409 && text.includes('REQUEST_IN_FLIGHT'));

/**
 * Sends a request, again after `Retry-After` if the service cannot process it now, and after a lost connection. A repeat has the
 * same idempotency key, or the same metadata IDs, so that it changes nothing twice.
 */
async function send(path: string, init: RequestInit & { headers?: Record<string, string> } = {}): Promise<Answer> {
  const headers = { ...init.headers, ...(MINTMARK_KEY ? { authorization: `Bearer ${MINTMARK_KEY}` } : {}) };
  for (let attempt = 1; ; attempt++) {
    try {
      const response = await fetch(MINTMARK_URL + path, { ...init, headers });
      // The connection can also be lost behind the headers.
      const answer = { status: response.status, headers: response.headers, text: await response.text() };
      if (!isTemporary(answer.status, answer.text) || attempt === ATTEMPTS) return answer;
      await pause(Number(answer.headers.get('retry-after') ?? 1) * 1000);
    } catch (error) {
      if (attempt === ATTEMPTS) throw error;
      await pause(1000);
    }
  }
}

const post = (path: string, body: object, key?: string) =>
  send(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(key ? { 'idempotency-key': key } : {}) },
    body: JSON.stringify(body),
  });

/**
 * Sends lines of NDJSON, and sends them again while the stream ends too early or lines are rejected that can succeed later.
 * @returns the result of each line.
 */
async function stream(path: string, lines: object[], key?: string): Promise<Result[]> {
  for (let attempt = 1; ; attempt++) {
    const answer = await send(path, {
      method: 'POST',
      headers: {
        'content-type': 'application/x-ndjson',
        prefer: 'return=minimal, summary',
        ...(key ? { 'idempotency-key': key } : {}),
      },
      body: lines.map((line) => `${JSON.stringify(line)}\n`).join(''),
    });
    const results = linesOf<Result>(answer);
    // The summary is the last line of a stream that was read to its end.
    const end = results.pop();
    const isWhole = end !== undefined && 'summary' in end;
    const isFinal = !results.some((result) => isTemporary(result.status, JSON.stringify(result)));
    if (attempt < ATTEMPTS && !(isWhole && isFinal)) {
      await pause(1000);
      continue;
    }
    assert(isWhole, JSON.stringify(end));
    assert.equal(results.length, lines.length);
    return results;
  }
}

function linesOf<Line>({ status, text }: Answer): Line[] {
  assert.equal(status, 200, text);
  return text.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as Line]));
}

function json<Body>(answer: Answer, status = 200, parse: (text: string) => Body = JSON.parse): Body {
  assert.equal(answer.status, status, answer.text);
  return parse(answer.text);
}

const bulk = `/identifiers/bulk?namingAuthority=${MINTMARK_NAMING_AUTHORITY}`;

const atSite = async (site: string): Promise<Exported[]> =>
  linesOf<Exported>(
    await send(
      `/identifiers/export?namingAuthority=${MINTMARK_NAMING_AUTHORITY}&targetPrefix=${encodeURIComponent(site)}`,
    ),
  );

/** The number of identifiers, or null where the service estimates it. */
async function countOf(): Promise<number | null> {
  const path = `/identifiers?namingAuthority=${MINTMARK_NAMING_AUTHORITY}&limit=1&total=true`;
  const { total } = json<{ total: { value: number; isExact: boolean } }>(await send(path));
  return total.isExact ? total.value : null;
}

/** Reads on until there is nothing more, and nothing more comes within a second. A page before the end can be empty. */
async function eventsAfter(cursor: string): Promise<EventPage['items']> {
  const items: EventPage['items'] = [];
  for (let next = cursor; ;) {
    const path = `/events?namingAuthority=${MINTMARK_NAMING_AUTHORITY}&limit=1000&wait=1&cursor=${next}`;
    const page = json<EventPage>(await send(path));
    items.push(...page.items);
    if (page.end && page.items.length === 0) return items;
    next = page.next;
  }
}

const metadataIdOf = (n: number) => `oai:repo.example.org:${run}/${n}`;
const objectOf = (n: number) => ({ metadataId: metadataIdOf(n), target: `${oldSite}${n}` });
const numbers = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => from + index);

const start = json<EventPage>(await send('/events?cursor=latest')).next;

// Deposit: some objects by a request each, the others as a stream, whose first attempt is incomplete.
const streamed = numbers(SINGLE + 1, OBJECTS).map(objectOf);
const interrupted = await stream(bulk, streamed.slice(0, INTERRUPTED), `${run}-deposit`);
async function deposit(): Promise<{ status: number; identifier: string }[]> {
  const deposited: { status: number; identifier: string }[] = [];
  for (const n of numbers(1, SINGLE)) {
    const body = { namingAuthority: MINTMARK_NAMING_AUTHORITY, ...objectOf(n) };
    const response = await post('/identifiers', body, `${run}-object-${n}`);
    deposited.push({ status: response.status, identifier: json<Identifier>(response, 201).identifier });
  }
  for (const { status, identifier } of await stream(bulk, streamed, `${run}-deposit`)) {
    assert(identifier);
    deposited.push({ status, identifier });
  }
  return deposited;
}
const deposited = await deposit();
assert(deposited.every(({ status }) => status === 201));
const identifiers = deposited.map(({ identifier }) => identifier);
assert.equal(new Set(identifiers).size, OBJECTS);
assert.deepEqual(
  identifiers.slice(SINGLE, SINGLE + INTERRUPTED),
  interrupted.map(({ identifier }) => identifier),
);
const countAfterDeposit = await countOf();

// Retry: the same keys return the same results, and the same requests return the same identifiers without a key too.
// Other values for a metadata ID are 409, with the identifier and the members that differ.
assert.deepEqual(await deposit(), deposited);
const moreTargets = numbers(1, SINGLE).map((n) => ({ ...objectOf(n), target: `${oldSite}${n}/latest` }));
const contradicted = await stream(bulk, moreTargets);
contradicted.forEach(({ status, problem }, index) => {
  const pointers = problem?.errors?.map(({ pointer }) => pointer);
  assert.deepEqual([status, problem?.identifier, pointers], [409, identifiers[index], ['/metadataId', '/target']]);
});
const updated = await stream(
  bulk,
  moreTargets.map((line) => ({ ...line, onExisting: 'update' })),
);
updated.forEach((result, index) => {
  assert.deepEqual([result.status, result.identifier, result.ignored], [200, identifiers[index], undefined]);
});
const countAfterRetries = await countOf();
/** Two estimates can differ by any number. */
const isExact = countAfterDeposit !== null && countAfterRetries !== null;
const mintedByRetries = isExact ? countAfterRetries - countAfterDeposit : null;
if (isExact) assert.equal(mintedByRetries, 0);

// Move: the identifiers at the old site get targets at the new one, unless somebody has changed them meanwhile.
const atOldSite = await atSite(oldSite);
assert.deepEqual(new Set(atOldSite.map(({ identifier }) => identifier)), new Set(identifiers));
const changes = atOldSite.map(({ identifier, target, version }) => ({
  ...{ identifier, ifVersion: version },
  target: newSite + target.slice(oldSite.length),
}));
const previewed = await stream('/identifiers/changes?dryRun=true', changes);
previewed.forEach((result, index) => {
  assert.equal(result.outcome, 'changed');
  assert.deepEqual([result.old?.target, result.new?.target], [atOldSite[index]?.target, changes[index]?.target]);
});
assert.equal((await atSite(oldSite)).length, OBJECTS);
const moved = await stream('/identifiers/changes', changes, `${run}-move`);
moved.forEach((result, index) => {
  const { identifier, target, version } = atOldSite[index] ?? assert.fail();
  const expected = {
    line: index + 1,
    clientRef: null,
    status: 200,
    outcome: 'changed',
    identifier,
    version: version + 1,
    old: { target },
  };
  assert.deepEqual(result, expected);
});
assert.deepEqual(await stream('/identifiers/changes', changes, `${run}-move`), moved);
assert.equal((await atSite(oldSite)).length, 0);
assert.deepEqual(new Set((await atSite(newSite)).map(({ target }) => target)), new Set(changes.map((m) => m.target)));

// New versions: each has an identifier of its own, which names the previous one.
const versions = await stream(
  bulk,
  numbers(1, REVISED).map((n) => ({
    metadataId: `${metadataIdOf(n)}/v2`,
    target: `${newSite}${n}/v2`,
    previousVersion: identifiers[n - 1],
  })),
  `${run}-versions`,
);
const pairs = versions.map(({ status, identifier }, index) => {
  assert.equal(status, 201);
  return { older: identifiers[index] ?? assert.fail(), newer: identifier ?? assert.fail() };
});
for (const { older, newer } of pairs) {
  const [first, second] = await Promise.all([send(`/identifiers/${older}`), send(`/identifiers/${newer}`)]);
  const [previous, next] = [json<Identifier>(first), json<Identifier>(second)];
  assert.deepEqual([previous.newerVersions, next.previousVersion], [[newer], `hdl:${older}`]);
  assert(first.headers.get('link')?.includes(`<${next.uris.resolver}>; rel="successor-version"`));
  assert(second.headers.get('link')?.includes(`<${previous.uris.resolver}>; rel="predecessor-version"`));
}

// Withdraw the first versions. Their identifiers stay known, and name their replacements.
const withdrawals = pairs.map(({ older, newer }) => ({
  identifier: older,
  withdraw: { reason: withdrawalReason, replacedBy: newer },
}));
const withdrawn = await stream('/identifiers/changes', withdrawals, `${run}-withdraw`);
assert(withdrawn.every(({ status, outcome }) => status === 200 && outcome === 'changed'));
for (const { older, newer } of pairs) {
  const { code, tombstone } = json<Withdrawn>(await send(`/identifiers/${older}`), 410);
  assert.equal(code, 'IDENTIFIER_WITHDRAWN');
  assert.deepEqual([tombstone.reason, tombstone.replacedBy], [withdrawalReason, `hdl:${newer}`]);
}

// Follow the events that this run has caused.
const mine = new Set([...identifiers, ...pairs.map(({ newer }) => newer)]);
const events: Record<string, number> = {};
for (const { kind, identifier } of await eventsAfter(start))
  if (identifier !== null && mine.has(identifier)) events[kind] = (events[kind] ?? 0) + 1;

console.log(
  JSON.stringify({
    run,
    deposited: identifiers.length,
    mintedByRetries,
    contradicted: contradicted.length,
    updated: updated.length,
    moved: moved.length,
    versions: pairs.length,
    withdrawn: withdrawn.length,
    events,
  }),
);
