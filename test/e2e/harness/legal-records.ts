import { beforeAll, expect } from '@jest/globals';
import { exchange } from './exchange.js';
import { type TestService, useService } from './service.js';

export type Headers = Record<string, string>;

const ADMIN_KEY = 'correct-horse-battery-staple-correct-horse';
const bearer = (key: string): Headers => ({ authorization: `Bearer ${key}` });

/** In every value of the subject and in every reason, and in no name that is registered here. */
const MARKER = 'zqx';

/** Two naming authorities with Handle values. */
export const [A, B] = ['21.A', '21.B'];
export const SUBJECT = `${A}/subject`;
/** A name under B that an alternate identifier of the subject claims. */
export const CLAIMED = `${B}/zqx-claimed`;
export const VALUES = {
  metadataId: 'demo:zqx-metadata',
  target: 'https://repo.example.org/zqx-target',
  alternateIds: ['demo:zqx-alternate', `hdl:${CLAIMED}`],
  previousVersion: 'hdl:99.9/zqx-predecessor',
};
/** An identifier without values. */
export const BARE = `${A}/bare`;

/** The path of an identifier. */
export const of = (name: string): string => `/identifiers/${encodeURIComponent(name)}`;

/** The clients of the subject, by their rights. */
export interface Clients {
  readonly admin: Headers;
  /** May curate A; of the same client as `minter`. */
  readonly curator: Headers;
  /** May read and mint. */
  readonly minter: Headers;
  /** May do everything under B. */
  readonly other: Headers;
  readonly anonymous: Headers;
}

export const OTHERS = ['minter', 'other', 'anonymous'] as const;

export interface LegalRecords {
  readonly service: TestService;
  readonly clients: Clients;
  /** Sends a request. @returns the status, and the headers and the body of the response as one text. */
  readonly ask: (
    path: string,
    headers: Headers,
    sent?: { readonly method?: string; readonly body?: object | string },
  ) => Promise<{ readonly status: number; readonly text: string }>;
  /** Sends a request of the administrator that must succeed. @returns the body of the response. */
  readonly done: (path: string, body: object, method?: string) => Promise<any>;
  /** Withdraws identifiers for legal reasons. */
  readonly withdraw: (...names: readonly string[]) => Promise<void>;
}

/** Whether a text has a value of the subject, apart from those that the request has. */
export function hasValue(text: string, ...requested: readonly string[]): boolean {
  return requested.reduce((rest, value) => rest.replaceAll(value, ''), text).includes(MARKER);
}

/** A service with public reading where the subject has values of every kind, and other ones in its first versions. */
export function useLegalRecords(): LegalRecords {
  const service = useService({
    ...{ ACCESS: 'keys', ADMIN_API_KEY: ADMIN_KEY, PUBLIC_READ: 'true', PUBLIC_HISTORY: 'full' },
    ...{ INTERFACES: 'api,resolver,handles', NAMING_AUTHORITIES: '100.102' },
  });
  const clients = { admin: bearer(ADMIN_KEY), anonymous: {} } as { -readonly [name in keyof Clients]: Clients[name] };
  const ask: LegalRecords['ask'] = async (path, headers, { method = 'GET', body } = {}) => {
    const type: Headers = typeof body === 'object' ? { 'content-type': 'application/json' } : {};
    const sent = typeof body === 'object' ? JSON.stringify(body) : body;
    const all = { method, headers: { ...type, ...headers }, ...(sent !== undefined && { body: sent }) };
    const answer = await exchange(service.server.url, path, all);
    return { status: answer.status, text: `${JSON.stringify(answer.headers)}${answer.text}` };
  };
  const done = async (path: string, body: object, method = 'POST'): Promise<any> => {
    const { status, text } = await ask(path, { 'if-match': '*', ...clients.admin }, { method, body });
    expect([path, status, status < 300 ? '' : text]).toEqual([path, status < 300 ? status : 200, '']);
    return JSON.parse(text.slice(text.indexOf('}{') + 1));
  };
  const keyOf = async (client: string, scopes: readonly string[], ...prefixes: readonly string[]): Promise<Headers> => {
    const namingAuthorities = prefixes.map((namingAuthority) => ({ namingAuthority }));
    return bearer((await done('/api-keys', { client, scopes, namingAuthorities })).secret as string);
  };
  beforeAll(async () => {
    for (const namingAuthority of [A, B])
      await done('/naming-authorities', { namingAuthority, profile: 'handle', storesHandleValues: true });
    const all = ['read', 'mint', 'register', 'curate'];
    clients.curator = await keyOf('depositors', all, A);
    clients.minter = await keyOf('depositors', ['read', 'mint'], A);
    clients.other = await keyOf('others', [...all, 'admin'], B);
    await done('/identifiers', { namingAuthority: A, localName: 'bare' });
    await done('/identifiers', {
      namingAuthority: A,
      localName: 'subject',
      target: 'https://repo.example.org/zqx-old',
    });
    const values = [
      { index: 1, type: 'URL', data: { format: 'string', value: 'https://repo.example.org/zqx-second' } },
      { index: 2, type: 'EMAIL', data: { format: 'string', value: 'zqx@repo.example.org' } },
    ];
    await done(`/api/handles/${SUBJECT}`, { values }, 'PUT');
    await done(of(SUBJECT), VALUES, 'PATCH');
    await done(`${of(SUBJECT)}/withdraw`, { reason: 'The zqx reason of the first time.' });
    await done(`${of(SUBJECT)}/reinstate`, {});
  });
  return {
    ...{ service, clients, ask, done },
    withdraw: async (...names) => {
      for (const name of names) await done(`${of(name)}/withdraw`, { reason: 'The zqx reason.', reasonCode: 'legal' });
    },
  };
}
