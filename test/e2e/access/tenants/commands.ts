import { expect } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import type { Answer } from '../../harness/client.js';
import { type Step, filterOf, sharedName, sharedTarget } from './step.js';
import { TENANTS, type Tenant } from './tenant.js';
import type { Headers, Real } from './real.js';
import { NEXT_YEAR } from '../../harness/reservations.js';

/** Runs a step, and expects no effect if it is about the data of another tenant. */
export async function runStep(real: Real, step: Step): Promise<unknown> {
  const [tenant, whose] = [tenantAt(step.tenant), tenantAt(step.whose)];
  const [mine, theirs] = [real.of(tenant), real.of(whose)];
  const isOwn = tenant === whose;
  const prefix = oneOf(tenant.prefixes, step.pick) ?? '';
  const theirPrefix = oneOf(whose.prefixes, step.pick) ?? '';
  const identifier = oneOf(theirs.identifiers, step.pick) ?? `${theirPrefix}/${'0'.repeat(32)}`;
  const path = `/identifiers/${identifier}`;
  const reservation = oneOf(theirs.reservations, step.pick) ?? '00000000-0000-4000-8000-000000000000';
  const authority = `/naming-authorities/${theirPrefix}`;
  const key = step.key === null ? {} : { 'idempotency-key': `${real.name}-${step.key}` };
  const ask = (method: string, to: string, body?: unknown, headers: Headers = {}): Promise<Answer> =>
    real.send(tenant, method, to, body, headers);
  /** The data of another tenant is missing or rejected. */
  const about = async (method: string, to: string, body?: unknown, headers: Headers = {}): Promise<Answer> => {
    const answer = await ask(method, to, body, headers);
    if (!isOwn) expect([step.kind, [403, 404].includes(answer.status)]).toEqual([step.kind, true]);
    return answer;
  };

  switch (step.kind) {
    case 'mint': {
      real.recordMint(tenant, await ask('POST', '/identifiers', real.mintBody(tenant, prefix, step), key));
      return;
    }
    case 'mintAtOnce': {
      const headers = { 'idempotency-key': randomUUID() };
      const answers = await Promise.all(
        TENANTS.map((each) =>
          real.send(each, 'POST', '/identifiers', real.mintBody(each, each.prefixes[0] ?? '', step), headers),
        ),
      );
      answers.forEach((answer, index) => {
        real.recordMint(tenantAt(index), answer);
      });
      return;
    }
    case 'mintFor': {
      real.recordMint(tenant, await about('POST', '/identifiers', { namingAuthority: theirPrefix }, key));
      return;
    }
    case 'describe': {
      const metadataId = step.pick % 2 === 0 ? identifier : (oneOf(theirs.metadataIds, step.pick) ?? identifier);
      real.ownership.write(tenant, metadataId);
      real.recordMint(tenant, await ask('POST', '/identifiers', { namingAuthority: prefix, metadataId }, key));
      return;
    }
    case 'registerSame': {
      const guid = identifier.slice(-32);
      real.ownership.write(tenant, guid);
      real.recordMint(tenant, await ask('POST', '/identifiers', { namingAuthority: prefix, guid }, key));
      return;
    }
    case 'batch':
    case 'bulk': {
      const items = [real.mintBody(tenant, prefix, step), { namingAuthority: theirPrefix, clientRef: 'theirs' }];
      const answer =
        step.kind === 'batch'
          ? await ask('POST', '/identifiers/batch', { items }, key)
          : await ask('POST', '/identifiers/bulk', items, key);
      real.recordMints(tenant, answer, isOwn);
      return;
    }
    case 'batchCount': {
      const answer = await ask('POST', '/identifiers/batch', { namingAuthority: theirPrefix, count: 2 }, key);
      real.recordMints(tenant, answer, isOwn, [0, 1]);
      return;
    }
    case 'import': {
      const times = { createdAt: '2026-01-01T00:00:00Z', updatedAt: '2026-01-01T00:00:00Z' };
      // Without own identifiers it is a GUID of zeros, which another tenant can have registered under its own prefix.
      if (isOwn) real.ownership.write(tenant, identifier.slice(-32));
      const line = { identifier, state: 'active', version: 1, ...times };
      const answer = await ask('POST', '/identifiers/import', [line]);
      if (!isOwn) expect(answer.text).toMatch(/SCOPE_MISSING|NAMING_AUTHORITY_FORBIDDEN/);
      return;
    }
    case 'reserve': {
      const body = { namingAuthority: theirPrefix, count: 2, leaseUntil: NEXT_YEAR };
      const answer = await about('POST', '/reservations', body, key);
      if (answer.status !== 201) return;
      mine.reservations.push(answer.body.id);
      mine.identifiers.push(...answer.body.items);
      real.ownership.own(tenant, answer.text);
      return;
    }
    case 'reservation':
      return about('GET', `/reservations/${reservation}`);
    case 'activateReservation':
      return about('POST', `/reservations/${reservation}/activate`, {}, key);
    case 'releaseReservation':
      return about('POST', `/reservations/${reservation}/release`, {}, key);
    case 'get':
      return about('GET', path);
    case 'getByUri':
      return about('GET', `/identifiers/${encodeURIComponent(`hdl:${identifier}`)}`);
    case 'history':
      return about('GET', `${path}/history`);
    case 'list':
    case 'export':
    case 'exportCsv': {
      const filter = filterOf(step, whose, oneOf(theirs.metadataIds, step.pick));
      if (step.kind === 'list') return ask('GET', `/identifiers?limit=500&${filter}`);
      const accept = step.kind === 'export' ? 'application/x-ndjson' : 'text/csv';
      return ask('GET', `/identifiers/export?${filter}`, undefined, { accept });
    }
    case 'lookup': {
      const inputs = [identifier, sharedName(step.name), ...theirs.metadataIds.slice(0, 5)];
      return ask('POST', '/identifiers/lookup', { items: inputs });
    }
    case 'events':
      return ask('GET', `/events?limit=1000${step.pick % 2 ? `&namingAuthority=${theirPrefix}` : ''}`);
    case 'authorities':
      return ask('GET', '/naming-authorities');
    case 'authority':
      return about('GET', authority);
    case 'authorityHistory':
      return about('GET', `${authority}/history`);
    case 'createAuthority':
      return about('POST', '/naming-authorities', { namingAuthority: `${theirPrefix}.77` }, key);
    case 'suspendAuthority': {
      const change = isOwn ? {} : { state: 'suspended' };
      return about('PATCH', authority, change, { 'if-match': '*', ...key });
    }
    case 'patch': {
      const change = { target: sharedTarget(step.name), metadataId: sharedName(step.name) };
      return about('PATCH', path, change, { 'if-match': '*', ...key });
    }
    case 'activate':
      return about('POST', `${path}/activate`, {}, key);
    case 'withdraw':
      return about('POST', `${path}/withdraw`, { reason: `${tenant.word} says so` }, key);
    case 'replace': {
      const own = oneOf(mine.identifiers, step.pick) ?? `${prefix}/${'0'.repeat(32)}`;
      const answer = await ask('POST', `/identifiers/${own}/withdraw`, { reason: 'x', replacedBy: identifier }, key);
      if (!isOwn) expect(answer.status).not.toBe(200);
      return;
    }
    case 'reinstate':
      return about('POST', `${path}/reinstate`, {}, key);
    case 'keys':
      expect((await ask('GET', '/api-keys')).status).toBe(403);
      return;
    case 'metrics':
      expect((await ask('GET', '/metrics')).status).toBe(403);
  }
}

function tenantAt(index: number): Tenant {
  const tenant = TENANTS[index];
  if (tenant === undefined) throw new TypeError('there are three tenants');
  return tenant;
}

const oneOf = <T>(all: readonly T[], pick: number): T | undefined => all[pick % Math.max(1, all.length)];
