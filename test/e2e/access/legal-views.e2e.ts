import { beforeAll, describe, expect, it } from '@jest/globals';
import {
  A,
  BARE,
  type Headers,
  OTHERS,
  SUBJECT,
  VALUES,
  hasValue,
  of,
  useLegalRecords,
} from '../harness/legal-records.js';

const { service, clients, ask, done, withdraw } = useLegalRecords();

const HTML = { accept: 'text/html' };
const JSON_TYPE = { accept: 'application/json' };
const LINKSET = { accept: 'application/linkset+json' };
const FORM = { 'content-type': 'application/x-www-form-urlencoded' };
const PATH = of(SUBJECT);

const bodyOf = async (path: string, headers: Headers): Promise<string> => {
  const { text } = await ask(path, headers);
  return text.slice(text.indexOf('}{') + 1);
};

type View = (headers: Headers) => Promise<string>;
const get =
  (path: string, accept: Headers = JSON_TYPE): View =>
  async (headers) =>
    (await ask(path, { ...accept, ...headers })).text;
const post =
  (path: string, body: object | string, more: Headers = {}): View =>
  async (headers) =>
    (await ask(path, { ...more, ...headers }, { method: 'POST', body })).text;

/** The events up to the withdrawal, as a stream. */
const streamed: View = async (headers) => {
  const answer = await fetch(`${service.server.url}/events`, { headers: { ...headers, accept: 'text/event-stream' } });
  const reader = answer.body!.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  while (!/event: withdrawn\n(?:.*\n)*.*"reasonCode":"legal"/.test(text)) text += (await reader.read()).value ?? '';
  await reader.cancel();
  return text;
};

describe('the values of an identifier that is withdrawn for legal reasons', () => {
  let before = '';

  beforeAll(async () => {
    before = JSON.parse(await bodyOf('/events?cursor=latest', {})).next as string;
    await withdraw(SUBJECT, BARE);
  });

  it.each<[string, View]>([
    ['the record', get(PATH)],
    ['its page', get(PATH, HTML)],
    ['its history', get(`${PATH}/history`)],
    ['the list', get('/identifiers?limit=1000')],
    ['the list of withdrawn ones', get('/identifiers?state=withdrawn')],
    ['the export', get('/identifiers/export', { accept: 'application/x-ndjson' })],
    ['the export as CSV', get('/identifiers/export', { accept: 'text/csv' })],
    ['the events', get('/events?limit=1000')],
    ['the last events', get('/events?limit=1000&sort=-at')],
    ['the events after a cursor from before', (headers) => get(`/events?cursor=${before}`)(headers)],
    ['the stream of events', streamed],
    ['a look-up by its name', post('/identifiers/lookup', { items: [SUBJECT] })],
    ['the resolver as a page', get(`/${SUBJECT}`, HTML)],
    ['the resolver as JSON', get(`/${SUBJECT}`)],
    ['the resolver as a link set', get(`/${SUBJECT}`, LINKSET)],
    ['the resolver with ?noredirect', get(`/${SUBJECT}?noredirect`, HTML)],
    ['the form of the resolver', post('/', `hdl=${SUBJECT}`, { ...FORM, ...HTML })],
    ['the values of the resolver', get(`/${SUBJECT}?action=api`)],
    ['the Handle API', get(`/api/handles/${SUBJECT}`)],
  ])('%s: those who may curate it see them, and nobody else', async (_, view) => {
    expect(hasValue(await view(clients.curator))).toBe(true);
    for (const name of OTHERS) {
      expect([name, hasValue(await view(clients[name]))]).toEqual([name, false]);
    }
  });

  it.each<[string, View]>([
    ['the link set of the record', get(PATH, LINKSET)],
    ['the resolver that ignores its cache', get(`/${SUBJECT}?auth`)],
    ['the Handle resolver of DSpace', get(`/hdlresolver/resolve/${SUBJECT}`)],
    ['the list of Handles', get(`/api/handles?prefix=${A}`)],
    ['a search by a value', get(`/hrls/handles?URL=${VALUES.target}&retrieverecords=true`)],
    ['an activation', post(`${PATH}/activate`, {})],
  ])('%s does not show them to others', async (_, view) => {
    for (const name of OTHERS) {
      expect([name, hasValue(await view(clients[name]), VALUES.target)]).toEqual([name, false]);
    }
  });

  it('no other record names it as what it describes or as a newer version, also for who curates it', async () => {
    const described = `${A}/described`;
    await done('/identifiers', { namingAuthority: A, localName: 'described' });
    await done('/identifiers', { namingAuthority: A, localName: 'object', metadataId: `hdl:${described}` });
    await done('/identifiers', { namingAuthority: A, localName: 'newer', previousVersion: `hdl:${described}` });
    const related = async () => JSON.parse(await bodyOf(of(described), clients.curator));
    expect(await related()).toMatchObject({ describes: [`${A}/object`], newerVersions: [`${A}/newer`] });
    await withdraw(`${A}/object`, `${A}/newer`);
    expect(await related()).toMatchObject({ describes: [], newerVersions: [] });
  });

  it('a new record does not name it either', async () => {
    await done('/identifiers', { namingAuthority: A, localName: 'object of a new one', metadataId: `hdl:${A}/new` });
    await withdraw(`${A}/object of a new one`);
    expect(await done('/identifiers', { namingAuthority: A, localName: 'new' })).toMatchObject({ describes: [] });
  });

  it('after a reinstatement everybody sees them again', async () => {
    await done(`${PATH}/reinstate`, {});
    for (const view of [get(PATH), get(`${PATH}/history`), get(`/api/handles/${SUBJECT}`)])
      expect(hasValue(await view(clients.anonymous))).toBe(true);
  });
});
