import { beforeAll, describe, expect, it } from '@jest/globals';
import { exchange } from '../harness/exchange.js';
import { FORM, registerRecords } from '../harness/resolver-records.js';
import { useService } from '../harness/service.js';

const service = useService();

const GUID = 'F58FB49EB1F848F0A606E84CEF294BE5';
const IDENTIFIER = `100.102/${GUID}`;
const OBJECT = 'https://repo.example.org/objects/pasted';

let [withdrawn, reserved] = ['', ''];

beforeAll(async () => {
  ({ withdrawn, reserved } = await registerRecords(service.client));
  for (const fields of [
    {
      guid: GUID,
      target: OBJECT,
      metadataId: 'hdl:2000.01/B3D8BE7457C943FFB66ED4583059A8BA',
      alternateIds: ['demo:7'],
    },
    { target: 'https://repo.example.org/shared' },
    { target: 'https://repo.example.org/shared' },
  ]) {
    expect((await service.client.mint(fields)).status).toBe(201);
  }
});

const get = (target: string, headers: Record<string, string> = {}) => exchange(service.server.url, target, { headers });
/** The response to the form of the page at `/`, which shows the record in place of a redirect. */
const show = (hdl: string, headers: Record<string, string> = FORM) =>
  exchange(service.server.url, '/', {
    method: 'POST',
    headers,
    body: new URLSearchParams({ hdl, noredirect: '' }).toString(),
  });

describe('the form at /', () => {
  it.each([
    IDENTIFIER,
    `hdl://${IDENTIFIER.toLowerCase()}`,
    `https://hdl.handle.net/${IDENTIFIER}/`,
    `<${IDENTIFIER}>.`,
    `Handle: ${IDENTIFIER}`,
    `see ${IDENTIFIER} (v2)`,
    `100.102 / ${GUID}`,
    `100.102/\u200b${GUID}`,
    GUID,
    'f58fb49e-b1f8-48f0-a606-e84cef294be5',
    'demo:7',
    'info:hdl/2000.01/B3D8BE7457C943FFB66ED4583059A8BA',
    OBJECT,
  ])('shows the record of %j, as a look-up finds it', async (text) => {
    const { status, text: page } = await show(text);
    expect([status, page.includes(`<h1>${IDENTIFIER}</h1>`), page.includes(OBJECT)]).toEqual([200, true, true]);
    const { body } = await service.client.post('/identifiers/lookup', { items: [text] });
    expect(body.items[0].identifier).toBe(IDENTIFIER);
  });

  it('shows the record of a URL of this service', async () => {
    for (const path of [`/${IDENTIFIER}`, `/identifiers/${IDENTIFIER}`]) {
      expect((await show(service.server.url + path)).status).toBe(200);
    }
  });

  it('leads to the target without noredirect, as the proxy of the Handle System does', async () => {
    const answer = await exchange(service.server.url, '/', { method: 'POST', headers: FORM, body: 'hdl=demo:7' });
    expect([answer.status, answer.headers.location]).toEqual([302, OBJECT]);
  });

  it('shows a withdrawn identifier by its tombstone, and a reserved one as unknown', async () => {
    expect((await show(`see ${withdrawn} (v2)`)).status).toBe(410);
    const [status, page] = await show(`see ${reserved} (v2)`).then(({ status, text }) => [status, text] as const);
    expect([status, page.includes('cannot be found')]).toEqual([404, true]);
  });

  it('shows links to several identifiers that match equally well', async () => {
    const { status, text } = await show('https://repo.example.org/shared');
    const links = [...text.matchAll(/<a href="(\/100\.102\/[0-9A-F]{32})\?noredirect">/g)].map(([, path = '']) => path);
    expect([status, links.length]).toEqual([400, 2]);
    expect((await get(`${links[0]}?noredirect`)).status).toBe(200);
    const problem = await show('https://repo.example.org/shared', { ...FORM, accept: 'application/json' });
    expect(JSON.parse(problem.text)).toMatchObject({ status: 400, code: 'INVALID_REQUEST' });
  });

  it('says what a text is that nothing matches', async () => {
    const of = async (text: string) => {
      const { status, text: page } = await show(text);
      return [status, page.includes('prefix, which is the part'), page.includes(`/${GUID}?noredirect`)];
    };
    expect(await of('99.999/x')).toEqual([404, true, false]);
    expect(await of('nonsense')).toEqual([400, false, false]);
    expect(await of(`Handle: 100.102/${GUID.slice(1)}`)).toEqual([404, false, true]);
  });
});

describe('the page of a name that is not registered', () => {
  it.each([
    ['of the resolver', `/100.102/${GUID.slice(0, -1)}`, `/100.102/${GUID}?noredirect`],
    ['of the API', `/identifiers/100.102/E${GUID.slice(1)}`, `/identifiers/100.102/${GUID}`],
  ])('%s says what is wrong, and has a link to the nearest name', async (_, path, link) => {
    const { status, text } = await get(path, { accept: 'text/html' });
    expect([status, text.includes(`<a href="${link}">`)]).toEqual([404, true]);
    expect(text).toMatch(/One digit is missing|No identifier under 100\.102 has this name/);
  });

  it('is a problem with the nearest name for programs, and has none for a reserved one', async () => {
    const problem = await get(`/100.102/${GUID.slice(0, -1)}`, { accept: 'application/json' });
    expect(JSON.parse(problem.text).detail).toContain(`The nearest registered name is ${IDENTIFIER}.`);
    expect((await get(`/${reserved.slice(0, -1)}`)).text).not.toContain(`${reserved}?noredirect`);
  });
});
