import { beforeAll, describe, expect, it } from '@jest/globals';
import { useService } from '../harness/service.js';

const ADMIN_KEY = 'correct-horse-battery-staple-correct-horse';
const bearer = (key: string) => ({ authorization: `Bearer ${key}` });

const service = useService({ ACCESS: 'keys', ADMIN_API_KEY: ADMIN_KEY, PUBLIC_READ: 'false' });
let headers: Record<string, string>;
let own: string;
let hidden: string;
let allOwn: string[];

beforeAll(async () => {
  const admin = bearer(ADMIN_KEY);
  const key = await service.client.post(
    '/api-keys',
    { client: 'repository', scopes: ['read'], namingAuthorities: [{ namingAuthority: '100.102' }] },
    admin,
  );
  headers = bearer(key.body.secret as string);
  const minted: string[] = [];
  for (let n = 0; n < 10; n++) {
    const namingAuthority = n % 2 === 0 ? '100.102' : '2000.01';
    minted.push((await service.client.mint({ namingAuthority }, admin)).body.identifier as string);
  }
  [own, hidden] = minted as [string, string];
  allOwn = minted.filter((_, n) => n % 2 === 0);
});

describe('where reading is closed, a key for one naming authority', () => {
  it('gets its events only, and a cursor after all of them', async () => {
    const { body } = await service.client.get('/events', headers);
    const names = body.items.map((event: any) => event.identifier ?? event.namingAuthority);
    expect(names).toEqual(['100.102', ...allOwn]);
    const all = await service.client.get('/events', bearer(ADMIN_KEY));
    expect(all.body.items).toHaveLength(12);
    const behind = await service.client.get(`/events?cursor=${body.next}`, bearer(ADMIN_KEY));
    expect(behind.body.items).toEqual([]);
  });

  it('gets each of them once, in pages of two', async () => {
    for (const filter of ['', '&namingAuthority=100.102']) {
      const pages: unknown[][] = [];
      for (let cursor = ''; ;) {
        const { body } = await service.client.get(`/events?limit=2${filter}${cursor}`, headers);
        if (body.items.length === 0) break;
        pages.push(body.items.map((event: any) => event.identifier));
        cursor = `&cursor=${body.next}`;
      }
      expect(pages).toEqual([
        [null, allOwn[0]],
        [allOwn[1], allOwn[2]],
        [allOwn[3], allOwn[4]],
      ]);
    }
  });

  it('gets them in reverse order too, and no more of them by a kind or a client', async () => {
    const namesOf = async (query: string) =>
      (await service.client.get(`/events?${query}`, headers)).body.items.map((event: any) => event.identifier);
    expect(await namesOf('sort=-at')).toEqual([...[...allOwn].reverse(), null]);
    expect(await namesOf('kind=minted')).toEqual(allOwn);
    expect(await namesOf('client=admin')).toEqual(allOwn);
    expect(await namesOf('client=repository')).toEqual([]);
    const latest = await service.client.get('/events?cursor=latest', headers);
    expect([latest.body.items, latest.body.end]).toEqual([[], true]);
  });

  it('R-15: gets those of derived naming authorities where it covers them, also of one that is created later', async () => {
    const admin = bearer(ADMIN_KEY);
    await service.client.post('/naming-authorities', { namingAuthority: 'Ab', profile: 'handle' }, admin);
    const derived = { namingAuthority: 'aB', derived: true };
    const grants = { client: 'derived', scopes: ['read'], namingAuthorities: [derived] };
    const key = bearer((await service.client.post('/api-keys', grants, admin)).body.secret as string);
    const { next } = (await service.client.get('/events?cursor=latest', key)).body;
    const waiting = service.client.get(`/events?cursor=${next}&wait=30`, key);
    for (const namingAuthority of ['Abc', 'ab.7'])
      await service.client.post('/naming-authorities', { namingAuthority, profile: 'handle' }, admin);
    await service.client.mint({ namingAuthority: 'AB.7', localName: 'x' }, admin);
    expect((await waiting).body.items[0].namingAuthority).toBe('ab.7');
    const { body } = await service.client.get('/events', key);
    expect(body.items.map((event: any) => event.identifier ?? event.namingAuthority)).toEqual(['Ab', 'ab.7', 'ab.7/x']);
    // The other key covers 100.102 alone.
    await service.client.post('/naming-authorities', { namingAuthority: '100.102.7' }, admin);
    expect((await service.client.get('/events?sort=-at&limit=1', headers)).body.items[0].namingAuthority).toBe(
      '100.102',
    );
  });

  it('gets a cursor that does not show by its text whether others write', async () => {
    const cursors = [];
    for (let poll = 0; poll < 3; poll++) cursors.push((await service.client.get('/events', headers)).body.next);
    expect(new Set(cursors).size).toBe(3);
    expect(new Set(cursors.map(({ length }) => length)).size).toBe(1);
  });

  it('gets no event of another naming authority by asking for it, nor by a stream', async () => {
    expect((await service.client.get('/events?namingAuthority=2000.01', headers)).body.items).toEqual([]);
    const stream = await fetch(`${service.server.url}/events`, {
      headers: { ...headers, accept: 'text/event-stream' },
    });
    const reader = stream.body!.pipeThrough(new TextDecoderStream()).getReader();
    let { value: text = '' } = await reader.read();
    const admin = bearer(ADMIN_KEY);
    await service.client.mint({ namingAuthority: '2000.01' }, admin);
    const last = (await service.client.mint({}, admin)).body.identifier as string;
    while (!text.includes(last)) text += (await reader.read()).value ?? '';
    await reader.cancel();
    expect([text.includes(own), text.includes(hidden), text.includes('2000.01')]).toEqual([true, false, false]);
  });

  it('reads the history of visible identifiers only', async () => {
    expect((await service.client.get(`/identifiers/${own}/history`, headers)).status).toBe(200);
    expect((await service.client.get('/naming-authorities/100.102/history', headers)).status).toBe(200);
    expect((await service.client.get(`/identifiers/${hidden}/history`, headers)).body.code).toBe(
      'IDENTIFIER_NOT_FOUND',
    );
    const other = await service.client.get('/naming-authorities/2000.01/history', headers);
    expect(other.body.code).toBe('NAMING_AUTHORITY_NOT_FOUND');
  });

  it.each(['/events', `/identifiers/100.102/${'0'.repeat(32)}/history`, '/naming-authorities/100.102/history'])(
    'is needed for %s',
    async (path) => {
      expect((await service.client.get(path)).body.code).toBe('UNAUTHENTICATED');
    },
  );
});
