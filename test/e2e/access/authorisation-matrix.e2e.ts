import { readFileSync } from 'node:fs';
import { METHODS, request } from 'node:http';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { ADMIN, ADMIN_KEY, Credentials, type Headers, SCOPES, type Scope } from './authorisation/credentials.js';
import { type Request, Requests } from './authorisation/requests.js';
import { useService } from '../harness/service.js';

interface Row {
  /** Method and path as in the OpenAPI document. */
  readonly operation: string;
  /** The interface of an operation that the OpenAPI document does not have. */
  readonly interface?: 'resolver' | 'handles';
  /** The variant of the operation. */
  readonly asking?: string;
  readonly class: string;
  /** Each of them permits the operation, as does `admin`; with `needsAll` only all of them together. */
  readonly scopes: readonly Scope[];
  readonly needsAll?: true;
  /** The status of the response, or of its only item, when permitted. */
  readonly done: number;
}

type Expected = readonly (number | 'done')[];

interface Matrix {
  readonly credentials: readonly string[];
  readonly classes: Readonly<Record<string, { readonly openReading: Expected; readonly closedReading: Expected }>>;
  readonly operations: readonly Row[];
}

const read = (path: string): unknown => JSON.parse(readFileSync(new URL(path, import.meta.url), 'utf8'));

const matrix = read('authorisation-matrix.json') as Matrix;
const { paths } = read('../../../openapi/openapi.json') as { paths: Record<string, object> };

/** Each path of the OpenAPI document with its methods, in upper case. */
const routes = Object.entries(paths).map(
  ([path, item]) => [path, Object.keys(item).map((method) => method.toUpperCase())] as const,
);

/** Methods of HTTP clients except CONNECT, which is for proxies. */
const ALL_METHODS = METHODS.filter((method) => method !== 'CONNECT');

const nameOf = ({ operation, asking }: Row): string => (asking === undefined ? operation : `${operation} ${asking}`);

describe('the authorisation matrix', () => {
  it('has a row for each operation of the OpenAPI document, and none for anything else', () => {
    const described = routes.flatMap(([path, methods]) => methods.map((method) => `${method} ${path}`));
    const ofApi = matrix.operations.filter(({ interface: served }) => served === undefined);
    expect([...new Set(ofApi.map(({ operation }) => operation))].sort()).toEqual(described.sort());
    expect(new Set(matrix.operations.map(nameOf)).size).toBe(matrix.operations.length);
  });

  it('has a status for each credential in each class, and no class that no row is of', () => {
    const { credentials, classes, operations } = matrix;
    for (const { openReading, closedReading } of Object.values(classes)) {
      expect([openReading.length, closedReading.length]).toEqual([credentials.length, credentials.length]);
    }
    expect(Object.keys(classes).sort()).toEqual([...new Set(operations.map((row) => row.class))].sort());
  });
});

describe.each([
  ['openReading', 'true'],
  ['closedReading', 'false'],
] as const)('%s', (reading, publicRead) => {
  const service = useService({
    ACCESS: 'keys',
    ADMIN_API_KEY: ADMIN_KEY,
    PUBLIC_READ: publicRead,
    INTERFACES: 'api,resolver,handles',
  });
  let credentials: Credentials;
  let requests: Requests;

  beforeAll(async () => {
    credentials = await Credentials.prepare(service.client, service.database.url);
    requests = new Requests(service.client, ADMIN);
  });

  const expected = (row: Row, credential: string): number | undefined => {
    const status = matrix.classes[row.class]?.[reading][matrix.credentials.indexOf(credential)];
    return status === 'done' ? row.done : status;
  };

  it('has a request for each row, and no other', () => {
    expect(requests.known.sort()).toEqual(matrix.operations.map(nameOf).sort());
  });

  it.each(matrix.operations.map((row) => [nameOf(row), row] as const))(
    '%s treats each credential as its row defines',
    async (name, row) => {
      const isOfAll = row.class === 'ofAll';
      const statuses = await statusesOf(matrix.credentials, async (credential) => {
        const headers = await credentials.of(credential, row.scopes, isOfAll);
        return ask(methodOf(row), await requests.for(name), headers);
      });
      expect(statuses).toEqual(matrix.credentials.map((credential) => [credential, expected(row, credential)]));
    },
  );

  it.each(matrix.operations.map((row) => [nameOf(row), row] as const))(
    '%s is opened by its scopes and "admin", and by no other',
    async (name, row) => {
      const isOfAll = row.class === 'ofAll';
      const statuses = await statusesOf(SCOPES, async (scope) =>
        ask(methodOf(row), await requests.for(name), await credentials.with(scope, isOfAll)),
      );
      const opens = (scope: Scope) => scope === 'admin' || (row.needsAll !== true && row.scopes.includes(scope));
      expect(statuses).toEqual(SCOPES.map((scope) => [scope, expected(row, opens(scope) ? 'right' : 'wrong scope')]));
    },
  );

  it.each(matrix.operations.filter((row) => methodOf(row) === 'GET').map((row) => [nameOf(row), row] as const))(
    '%s returns the status of GET for HEAD, with any credential (RFC 9110 9.3.2)',
    async (name, row) => {
      const statuses = await statusesOf(matrix.credentials, async (credential) => {
        const headers = await credentials.of(credential, row.scopes, row.class === 'ofAll');
        return ask('HEAD', await requests.for(name), headers);
      });
      expect(statuses).toEqual(matrix.credentials.map((credential) => [credential, expected(row, credential)]));
    },
  );

  it.each([...routes, ['/{handle}', ['GET', 'POST']] as const])(
    '%s has no other methods than %j, for every principal',
    async (path, methods) => {
      const present = [...methods, ...(methods.includes('GET') ? ['HEAD'] : [])];
      const target = path
        .replace('{handle}', `100.102/${'0'.repeat(32)}`)
        .replace('{identifier}', `100.102%2F${'0'.repeat(32)}`)
        .replace(/\{[^}]+\}/g, 'x');
      for (const credential of matrix.credentials) {
        const headers = await credentials.of(credential, ['read'], false);
        const absent = ALL_METHODS.filter((each) => !present.includes(each));
        const statuses = await statusesOf(absent, (method) => ask(method, { path: target }, headers));
        const wanted = absent.map((method) => [method, method === 'OPTIONS' ? 204 : 405]);
        expect([credential, statuses]).toEqual([credential, wanted]);
      }
    },
  );

  /** Sends a request for each name at the same time. @returns the names with the statuses. */
  const statusesOf = <T>(names: readonly T[], send: (name: T) => Promise<number>): Promise<[T, number][]> =>
    Promise.all(names.map(async (name): Promise<[T, number]> => [name, await send(name)]));

  /** @returns the status of the response, or of its only item. `fetch` would not send TRACE. */
  function ask(method: string, { path, headers, body }: Request, credential: Headers): Promise<number> {
    return new Promise((resolve, reject) => {
      const sent = request(service.server.url + path, { method, headers: { ...headers, ...credential } }, (answer) => {
        let text = '';
        answer.on('data', (chunk: Buffer) => (text += chunk.toString()));
        answer.on('error', reject);
        answer.on('end', () => {
          const { statusCode = 0 } = answer;
          const isOfItems = /^\/identifiers\/(batch|bulk|changes|import)$/.test(path) && statusCode === 200;
          resolve(isOfItems ? Number(/"status":(\d{3})/.exec(text)?.[1]) : statusCode);
        });
      });
      sent.on('error', reject);
      sent.end(body);
    });
  }
});

function methodOf({ operation }: Row): string {
  return operation.slice(0, operation.indexOf(' '));
}
