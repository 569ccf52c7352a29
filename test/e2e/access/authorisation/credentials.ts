import type { Client } from '../../harness/client.js';
import { query } from '../../harness/database.js';
import { OWN } from './requests.js';

/** The key with every scope. */
export const ADMIN_KEY = 'correct-horse-battery-staple-correct-horse';
export const ADMIN = bearer(ADMIN_KEY);

/** All scopes; `admin` includes the others. */
export const SCOPES = ['read', 'mint', 'register', 'curate', 'admin'] as const;
export type Scope = (typeof SCOPES)[number];

export type Headers = Record<string, string>;

const OTHER = [{ namingAuthority: '2000.01', derived: true }];
const ITS_OWN = [{ namingAuthority: OWN, derived: true }];

/** Creates the headers of credentials through the API. */
export class Credentials {
  private readonly made = new Map<string, Promise<Headers>>();

  private constructor(
    private readonly client: Client,
    private readonly ended: Readonly<Record<string, Headers>>,
  ) {}

  /** @param databaseUrl where a key that was never used is put back to a time at which it has expired. */
  static async prepare(client: Client, databaseUrl: string): Promise<Credentials> {
    const expired = await createKey(client, { scopes: ['admin'], expiresAt: '2126-01-01T00:00:00Z' });
    await query(databaseUrl, "UPDATE api_key SET expires_at = now() - interval '1 second' WHERE id = $1", [expired.id]);
    const revoked = await createKey(client, { scopes: ['admin'] });
    const used = await client.get('/api-keys', revoked.headers);
    const { status } = await client.send('DELETE', `/api-keys/${revoked.id}`, ADMIN);
    if (used.status !== 200 || status !== 204) throw new Error('the key to be revoked did not work before');
    return new Credentials(client, {
      'no key': {},
      malformed: bearer('mm_live_nothing'),
      expired: expired.headers,
      revoked: revoked.headers,
    });
  }

  /**
   * @param name a credential of the matrix.
   * @param scopes the scopes of the operation.
   * @param isOfAll whether the right key has no grants.
   */
  of(name: string, scopes: readonly Scope[], isOfAll: boolean): Promise<Headers> {
    const ended = this.ended[name];
    if (ended !== undefined) return Promise.resolve(ended);
    const bound = isOfAll ? null : ITS_OWN;
    // An operation that needs no key accepts any credential.
    const opening = scopes.length === 0 ? (['read'] as const) : scopes;
    if (name === 'right') return this.key(opening, bound);
    if (name === 'other authority') return this.key(opening, OTHER);
    const wrong = SCOPES.filter((scope) => scope !== 'admin' && !scopes.includes(scope));
    if (name === 'wrong scope') return this.key(wrong, bound);
    throw new Error(`nobody knows a credential called ${name}`);
  }

  /** A key with one scope, for the naming authority of the requests or for all. */
  with(scope: Scope, isOfAll: boolean): Promise<Headers> {
    return this.key([scope], isOfAll ? null : ITS_OWN);
  }

  private key(scopes: readonly Scope[], namingAuthorities: object[] | null): Promise<Headers> {
    const fields = { scopes, namingAuthorities };
    const name = JSON.stringify(fields);
    const known = this.made.get(name) ?? createKey(this.client, fields).then(({ headers }) => headers);
    this.made.set(name, known);
    return known;
  }
}

async function createKey(client: Client, fields: object): Promise<{ id: string; headers: Headers }> {
  const { status, body, text } = await client.post(
    '/api-keys',
    { client: 'caller', namingAuthorities: null, ...fields },
    ADMIN,
  );
  if (status !== 201) throw new Error(`no key: ${status} ${text}`);
  return { id: body.id, headers: bearer(body.secret) };
}

function bearer(key: string): Headers {
  return { authorization: `Bearer ${key}` };
}
