import { randomUUID } from 'node:crypto';
import type { Client } from '../../harness/client.js';
import { NEXT_YEAR } from '../../harness/reservations.js';

/** The naming authority of the requests. */
export const OWN = '100.102';

const JSON_BODY = { 'content-type': 'application/json' };
const FORM_BODY = { 'content-type': 'application/x-www-form-urlencoded' };
/** A value of a Handle. */
const URL_VALUE = { index: 1, type: 'URL', data: 'https://repo.example.org/8' };

const NDJSON_BODY = { 'content-type': 'application/x-ndjson' };

/** A request that only authorisation can reject. */
export interface Request {
  readonly path: string;
  readonly headers?: Record<string, string>;
  readonly body?: string;
}

type Made = Request | Promise<Request>;

/** Builds a request for each operation with new data, so that requests are independent. */
export class Requests {
  private prefixes = 0;

  /** @param admin headers with every scope. */
  constructor(
    private readonly client: Client,
    private readonly admin: Record<string, string>,
  ) {}

  /** @param operation method and path of the OpenAPI document, and the variant of a row. */
  async for(operation: string): Promise<Request> {
    const make = this.makers[operation];
    if (make === undefined) throw new Error(`nobody knows how to ask for ${operation}`);
    return make();
  }

  private readonly makers: Readonly<Record<string, () => Made>> = {
    'GET /health/live': () => ({ path: '/health/live' }),
    'GET /health/ready': () => ({ path: '/health/ready' }),
    'GET /metrics': () => ({ path: '/metrics' }),
    'POST /normalize': () => json('/normalize', { items: [{ input: 'hdl:1/2' }] }),
    'GET /identifiers': () => ({ path: '/identifiers' }),
    'POST /identifiers a new one': () => json('/identifiers', { namingAuthority: OWN }),
    'POST /identifiers a GUID': () => json('/identifiers', { namingAuthority: OWN, guid: guid() }),
    'POST /identifiers/batch a new one': () => json('/identifiers/batch', { namingAuthority: OWN, items: [{}] }),
    'POST /identifiers/batch a GUID': () =>
      json('/identifiers/batch', { namingAuthority: OWN, items: [{ guid: guid() }] }),
    'POST /identifiers/bulk a new one': () => line('/identifiers/bulk', { namingAuthority: OWN }),
    'POST /identifiers/bulk a GUID': () => line('/identifiers/bulk', { namingAuthority: OWN, guid: guid() }),
    'POST /identifiers/changes': async () => {
      const identifier = (await this.minted()).slice('/identifiers/'.length);
      return line('/identifiers/changes', { identifier, target: 'https://repo.example.org/8' });
    },
    'POST /identifiers an update': async () => json('/identifiers', await this.update()),
    'POST /identifiers/batch an update': async () => json('/identifiers/batch', { items: [await this.update()] }),
    'POST /identifiers/bulk an update': async () => line('/identifiers/bulk', await this.update()),
    'POST /identifiers/import': () =>
      line('/identifiers/import', {
        identifier: `${OWN}/${guid()}`,
        state: 'active',
        version: 1,
        createdAt: '2026-01-01T00:00:00Z',
        updatedAt: '2026-01-01T00:00:00Z',
      }),
    'GET /identifiers/export': () => ({ path: '/identifiers/export' }),
    'POST /identifiers/lookup': () => json('/identifiers/lookup', { items: ['hdl:1/2'] }),
    'GET /identifiers/{identifier}': async () => ({ path: await this.minted() }),
    'PATCH /identifiers/{identifier}': async () => json(await this.minted(), {}, { 'if-match': '*' }),
    'POST /identifiers/{identifier}/activate': async () =>
      json(`${await this.minted({ state: 'reserved', leaseUntil: NEXT_YEAR })}/activate`, {}),
    'POST /identifiers/{identifier}/withdraw': async () => json(`${await this.minted()}/withdraw`, { reason: 'x' }),
    'POST /identifiers/{identifier}/reinstate': async () => {
      const path = await this.minted();
      await this.make(`${path}/withdraw`, { reason: 'x' });
      return json(`${path}/reinstate`, {});
    },
    'GET /identifiers/{identifier}/history': async () => ({ path: `${await this.minted()}/history` }),
    'GET /identifiers/{identifier}/uris': async () => ({ path: `${await this.minted()}/uris` }),
    'POST /reservations': () => json('/reservations', { namingAuthority: OWN, count: 1, leaseUntil: NEXT_YEAR }),
    'GET /reservations/{id}': async () => ({ path: await this.reserved() }),
    'POST /reservations/{id}/activate': async () => json(`${await this.reserved()}/activate`, {}),
    'POST /reservations/{id}/release': async () => json(`${await this.reserved()}/release`, {}),
    'GET /naming-authorities': () => ({ path: '/naming-authorities' }),
    'POST /naming-authorities': () => json('/naming-authorities', { namingAuthority: this.prefix() }),
    'GET /naming-authorities/{namingAuthority}': () => ({ path: `/naming-authorities/${OWN}` }),
    'PATCH /naming-authorities/{namingAuthority}': () =>
      json(`/naming-authorities/${OWN}`, { state: 'active' }, { 'if-match': '*' }),
    'GET /naming-authorities/{namingAuthority}/history': () => ({ path: `/naming-authorities/${OWN}/history` }),
    'GET /events': () => ({ path: '/events?limit=1' }),
    'POST /api-keys': () => json('/api-keys', { client: 'made', namingAuthorities: null, scopes: ['read'] }),
    'GET /api-keys': () => ({ path: '/api-keys?limit=1' }),
    'GET /api-keys/self': () => ({ path: '/api-keys/self' }),
    'GET /api-keys/{id}': async () => ({ path: await this.key() }),
    'POST /api-keys/{id}/confirm': async () => json(`${await this.key()}/confirm`, {}),
    'GET /{handle}': async () => ({ path: await this.resolvable() }),
    'POST /{handle}': async () => ({ path: await this.resolvable() }),
    'POST /': async () => ({ path: '/', headers: FORM_BODY, body: `hdl=${(await this.resolvable()).slice(1)}` }),
    'GET /api/site': () => ({ path: '/api/site' }),
    'GET /api/prefixes': () => ({ path: '/api/prefixes' }),
    'GET /hdlresolver/listprefixes': () => ({ path: '/hdlresolver/listprefixes' }),
    'GET /hdlresolver/resolve/{handle}': async () => ({ path: `/hdlresolver/resolve${await this.resolvable()}` }),
    'GET /hdlresolver/listhandles/{prefix}': () => ({ path: `/hdlresolver/listhandles/${OWN}` }),
    'GET /hrls/ping': () => ({ path: '/hrls/ping' }),
    'GET /hrls/handles': () => ({ path: '/hrls/handles?URL=https://repo.example.org/7&limit=1' }),
    'GET /hrls/handles/{prefix}': () => ({ path: `/hrls/handles/${OWN}?URL=*example*&limit=1` }),
    'GET /api/handles': () => ({ path: `/api/handles?prefix=${OWN}&page=0&pageSize=1` }),
    'POST /api/handles': () => ({ path: '/api/handles', headers: FORM_BODY, body: `prefix=${OWN}&pageSize=1` }),
    'GET /api/handles/{handle}': async () => ({ path: `/api/handles${await this.resolvable()}` }),
    'POST /api/handles/{handle}': async () => ({ path: `/api/handles${await this.resolvable()}` }),
    'PUT /api/handles/{handle} a new name': () => json(`/api/handles/${OWN}/${guid()}`, URL_VALUE),
    'PUT /api/handles/{handle} a minted name': () => json(`/api/handles/${OWN}/?mintNewSuffix=true`, URL_VALUE),
    'PUT /api/handles/{handle} a known name': async () => json(`/api/handles${await this.resolvable()}`, URL_VALUE),
    'DELETE /api/handles/{handle}': async () => ({ path: `/api/handles${await this.resolvable()}?index=1` }),
    'DELETE /api-keys/{id}': async () => ({ path: await this.key() }),
  };

  /** The known operations, in the notation of `for`. */
  get known(): string[] {
    return Object.keys(this.makers);
  }

  /** The update of an identifier by its metadata ID. */
  private async update(): Promise<object> {
    const metadataId = `hdl:2000.03/${guid()}`;
    await this.minted({ metadataId });
    return { namingAuthority: OWN, metadataId, target: 'https://repo.example.org/8', onExisting: 'update' };
  }

  private prefix(): string {
    return `${OWN}.${++this.prefixes}`;
  }

  private async minted(fields: object = {}): Promise<string> {
    return `/identifiers/${(await this.make('/identifiers', { namingAuthority: OWN, ...fields })).identifier}`;
  }

  private async resolvable(): Promise<string> {
    const fields = { namingAuthority: OWN, target: 'https://repo.example.org/7' };
    return `/${(await this.make('/identifiers', fields)).identifier}`;
  }

  private async reserved(): Promise<string> {
    const wanted = { namingAuthority: OWN, count: 1, leaseUntil: NEXT_YEAR };
    return `/reservations/${(await this.make('/reservations', wanted)).id}`;
  }

  private async key(): Promise<string> {
    return `/api-keys/${(await this.make('/api-keys', { client: 'made', namingAuthorities: null, scopes: ['read'] })).id}`;
  }

  private async make(path: string, body: object): Promise<any> {
    const answer = await this.client.post(path, body, this.admin);
    if (answer.status >= 300) throw new Error(`${path}: ${answer.status} ${answer.text}`);
    return answer.body;
  }
}

const guid = (): string => randomUUID().replaceAll('-', '').toUpperCase();

const json = (path: string, body: object, headers: Record<string, string> = {}): Request => ({
  path,
  headers: { ...JSON_BODY, ...headers },
  body: JSON.stringify(body),
});

const line = (path: string, body: object): Request => ({
  path,
  headers: NDJSON_BODY,
  body: `${JSON.stringify(body)}\n`,
});
