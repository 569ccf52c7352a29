import { beforeAll, describe, expect, it } from '@jest/globals';
import { coded } from '../harness/client.js';
import { type SeenEvent, readLog } from '../harness/log-reader.js';
import { useService } from '../harness/service.js';

const service = useService();

const MERGE_PATCH = { 'content-type': 'application/merge-patch+json', 'if-match': '*' };

/** All pages of the log in reverse order. `meanwhile` runs after each page. */
async function readBack(query: string, meanwhile: () => Promise<unknown> = () => Promise.resolve()) {
  const pages: SeenEvent[][] = [];
  for (let cursor = ''; ;) {
    const { status, body } = await service.client.get(`/events?sort=-at${query}${cursor}`);
    expect(status).toBe(200);
    pages.push(body.items as SeenEvent[]);
    if (body.end === true) return { pages, events: pages.flat(), next: body.next as string };
    await meanwhile();
    cursor = `&cursor=${body.next}`;
  }
}

let changed: string;
beforeAll(async () => {
  for (let n = 0; n < 25; n++) {
    await service.client.mint({ namingAuthority: n % 3 === 0 ? '2000.01' : '100.102', mintMetadataId: n % 5 === 0 });
  }
  changed = (await service.client.mint()).body.identifier;
  await service.client.send('PATCH', `/identifiers/${changed}`, MERGE_PATCH, '{"target":"https://x.example/"}');
});

describe('GET /events?sort=-at', () => {
  it('is the log in reverse order, in pages of any size, and ends at its begin', async () => {
    const { events } = await readLog(service.client);
    // Two naming authorities, 26 mints, 5 metadata records and a change.
    expect(events).toHaveLength(34);
    for (const limit of [1, 7, 17, 33, 34, 35, 1000]) {
      const back = await readBack(`&limit=${limit}`);
      expect(back.events).toEqual([...events].reverse());
      expect(back.pages.slice(0, -1).every(({ length }) => length === limit)).toBe(true);
      const beyond = await service.client.get(`/events?sort=-at&cursor=${back.next}`);
      expect([beyond.body.items, beyond.body.end]).toEqual([[], true]);
    }
  });

  it('loses no event and repeats none while others mint and change what was read and what was not', async () => {
    const { events } = await readLog(service.client);
    const targets = [...events.flatMap(({ identifier }) => identifier ?? [])];
    const { events: back } = await readBack('&limit=3', async () => {
      await service.client.mint();
      for (const path of [targets.pop(), targets.shift()])
        await service.client.send(
          'PATCH',
          `/identifiers/${path}`,
          MERGE_PATCH,
          `{"target":"https://y.example/${targets.length}"}`,
        );
    });
    expect(back.map(({ id }) => id)).toEqual(events.map(({ id }) => id).reverse());
  });

  it('has the same filters', async () => {
    const { events } = await readLog(service.client);
    const wanted = events.filter(({ namingAuthority, kind }) => namingAuthority === '2000.01' && kind === 'minted');
    expect(wanted.length).toBeGreaterThan(8);
    const back = await readBack('&limit=2&namingAuthority=2000.01&kind=minted&client=anonymous');
    expect(back.events).toEqual([...wanted].reverse());
    const [last] = (await readBack('&limit=1&kind=changed&namingAuthority=100.102')).events;
    expect(last).toEqual(
      events.filter(({ namingAuthority, kind }) => kind === 'changed' && namingAuthority === '100.102').at(-1),
    );
  });

  it('starts with the last event for cursor=latest too, and does not wait', async () => {
    const last = (await readLog(service.client)).events.at(-1);
    const { body } = await service.client.get('/events?sort=-at&cursor=latest&limit=1&wait=30');
    expect(body.items).toEqual([last]);
    const begun = performance.now();
    const none = await service.client.get('/events?sort=-at&kind=deleted&wait=30');
    expect([none.body.items, none.body.end]).toEqual([[], true]);
    expect(performance.now() - begun).toBeLessThan(15_000);
  });

  it('rejects cursors of the other order, the IDs of events, and a stream', async () => {
    const back = (await service.client.get('/events?sort=-at&limit=1')).body;
    const rejected = async (query: string, headers: Record<string, string> = {}) => {
      const answer = await service.client.get(`/events?${query}`, headers);
      const [{ parameter, header }] = answer.body.errors;
      return [...coded(answer), parameter ?? header];
    };
    expect(await rejected(`cursor=${back.next}`)).toEqual([400, 'INVALID_CURSOR', 'cursor']);
    expect(await rejected(`sort=-at&cursor=${back.items[0].id}`)).toEqual([400, 'INVALID_CURSOR', 'cursor']);
    const stream = { accept: 'text/event-stream' };
    expect(await rejected('sort=-at', stream)).toEqual([400, 'INVALID_REQUEST', 'sort']);
    const latest = { ...stream, 'last-event-id': 'latest' };
    expect(await rejected('', latest)).toEqual([400, 'INVALID_CURSOR', 'Last-Event-ID']);
  });

  it.each([
    ['sort=createdAt', 'sort'],
    ['sort=', 'sort'],
    ['kind=mint', 'kind'],
    ['kind=', 'kind'],
    ['client=', 'client'],
    ['client=a%20b', 'client'],
    [`client=${'a'.repeat(101)}`, 'client'],
    ['kind=minted&kind=changed', 'kind'],
  ])('rejects ?%s', async (query, parameter) => {
    const answer = await service.client.get(`/events?${query}`);
    expect([...coded(answer), answer.body.errors[0].parameter]).toEqual([400, 'INVALID_REQUEST', parameter]);
  });
});
