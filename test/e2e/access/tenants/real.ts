import { expect } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import type { Answer } from '../../harness/client.js';
import { type Step, sharedName, sharedTarget } from './step.js';
import { type Ownership, TENANTS, type Tenant } from './tenant.js';

export type Headers = Record<string, string>;

/** The data of a tenant in one run. */
class Belongings {
  readonly identifiers: string[] = [];
  readonly metadataIds: string[] = [];
  readonly reservations: string[] = [];
  readonly usedKeys = new Set<string>();
}

/** Runs the steps of three tenants on one service, and checks each response for data of other tenants. */
export class Real {
  private readonly belongings = new Map<Tenant, Belongings>(TENANTS.map((tenant) => [tenant, new Belongings()]));
  readonly name = randomUUID().slice(0, 8);

  constructor(
    private readonly url: string,
    private readonly keys: ReadonlyMap<Tenant, Headers>,
    readonly ownership: Ownership,
  ) {}

  of(tenant: Tenant): Belongings {
    const found = this.belongings.get(tenant);
    if (found === undefined) throw new TypeError('every tenant has belongings');
    return found;
  }

  /** A mint with names of the tenant, or names that all tenants use. */
  mintBody(tenant: Tenant, namingAuthority: string, { pick, name }: Step): object {
    const metadataId = `hdl:20.500/${randomUUID().replaceAll('-', '').toUpperCase()}`;
    if (pick % 3 === 0) {
      this.ownership.own(tenant, metadataId);
      this.of(tenant).metadataIds.push(metadataId);
      return { namingAuthority, metadataId, target: `https://${tenant.word}.example.org/` };
    }
    const shared = sharedName(name);
    return {
      namingAuthority,
      target: sharedTarget(name),
      ...(pick % 3 === 1 ? { metadataId: shared } : { alternateIds: [shared] }),
    };
  }

  recordMint(tenant: Tenant, { status, body }: Answer): void {
    if (status !== 201) return;
    this.ownership.own(tenant, body.identifier);
    this.of(tenant).identifiers.push(body.identifier);
  }

  /** @param others which results belong to the naming authority of another tenant. */
  recordMints(tenant: Tenant, { status, text }: Answer, isOwn: boolean, others = [1]): void {
    if (status !== 200) return;
    const results: any[] = text.startsWith('{"items"') ? JSON.parse(text).items : linesOf(text);
    results.forEach((result, index) => {
      if (others.includes(index) && !isOwn) expect([index, result.status]).toEqual([index, 403]);
      this.recordMint(tenant, { ...result, body: result.record });
    });
  }

  async send(tenant: Tenant, method: string, path: string, body: unknown, headers: Headers): Promise<Answer> {
    const sent = bodyOf(body);
    const type = Array.isArray(body) ? 'application/x-ndjson' : 'application/json';
    const answered = await fetch(this.url + path, {
      method,
      headers: { ...this.keys.get(tenant), ...(body !== undefined && { 'content-type': type }), ...headers },
      ...(body !== undefined && { body: sent }),
    });
    const text = await answered.text();
    const isJson = /^application\/(problem\+)?json/.test(answered.headers.get('content-type') ?? '');
    const { status } = answered;
    const answer = { status, headers: answered.headers, text, body: isJson ? JSON.parse(text) : null };
    const label = `${tenant.word}: ${method} ${path} ${sent}`;
    expect([label, status < 500, this.ownership.leaks(tenant, `${path} ${sent}`, answer)]).toEqual([label, true, []]);
    this.requireOwnOutcome(tenant, headers['idempotency-key'], answer);
    return answer;
  }

  /** The first use of an Idempotency-Key by a tenant is no replay, whichever tenant used the same key before. */
  private requireOwnOutcome(tenant: Tenant, key: string | undefined, { headers, text }: Answer): void {
    const { usedKeys } = this.of(tenant);
    if (key === undefined || usedKeys.has(key)) return;
    expect(headers.get('idempotency-replayed')).toBeNull();
    expect(text).not.toMatch(/IDEMPOTENCY_KEY_REUSED|REQUEST_IN_FLIGHT/);
    usedKeys.add(key);
  }
}

const linesOf = (text: string): any[] =>
  text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));

function bodyOf(body: unknown): string {
  if (body === undefined) return '';
  return Array.isArray(body) ? body.map((line) => `${JSON.stringify(line)}\n`).join('') : JSON.stringify(body);
}
