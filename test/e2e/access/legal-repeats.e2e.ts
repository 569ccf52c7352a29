import { beforeAll, describe, expect, it } from '@jest/globals';
import { ndjson } from '../harness/changes.js';
import { A, type Headers, SUBJECT, VALUES, hasValue, of, useLegalRecords } from '../harness/legal-records.js';
import { NEXT_YEAR } from '../harness/reservations.js';

const { clients, ask, done, withdraw } = useLegalRecords();

const NDJSON = { 'content-type': 'application/x-ndjson' };

/** Values of a mint, other than those of the subject. */
const fields = (name: string, more: object = {}) => ({
  ...{
    namingAuthority: A,
    metadataId: `info:fedora/demo:zqx-${name}`,
    target: `https://repo.example.org/zqx-${name}`,
    ...more,
  },
});
const conflict = { namingAuthority: A, metadataId: VALUES.metadataId, onExisting: 'reject' };

describe('a repeat after a withdrawal for legal reasons', () => {
  const send = (path: string, key: string, headers: Headers, body: object | string) =>
    ask(path, { 'idempotency-key': key.replaceAll(' ', '-'), ...headers }, { method: 'POST', body });
  const minted = async (path: string, key: string, body: object | string, more: Headers = {}) => {
    const { status, text } = await send(path, key, { ...more, ...clients.minter }, body);
    expect([key, status < 300, status < 300 ? '' : text]).toEqual([key, true, '']);
    return [...text.matchAll(/"identifier":"([^"]+)"/g)].map(([, name]) => name!);
  };
  const requests: Record<string, [path: string, body: object | string, headers?: Headers]> = {
    'of a mint': ['/identifiers', fields('single', { alternateIds: ['info:fedora/demo:zqx-a'] })],
    'of a mint with a metadata record': [
      '/identifiers',
      {
        namingAuthority: A,
        mintMetadataId: true,
        metadataTarget: 'https://repo.example.org/zqx-record',
        target: 'https://repo.example.org/zqx-object',
      },
    ],
    'of a mint that was returned': ['/identifiers', fields('existing', { onExisting: 'return' })],
    'of a batch': ['/identifiers/batch', { items: [fields('batch'), fields('existing', { onExisting: 'return' })] }],
    'of a bulk': ['/identifiers/bulk', ndjson(fields('bulk'), fields('existing', { onExisting: 'return' })), NDJSON],
    'of a conflict in a batch': ['/identifiers/batch', { items: [conflict] }],
    'of a conflict in a bulk': ['/identifiers/bulk', ndjson(conflict), NDJSON],
    'of an activation': [`${of(`${A}/reserved`)}/activate`, { target: 'https://repo.example.org/zqx-activated' }],
  };

  beforeAll(async () => {
    const reserved = { state: 'reserved', leaseUntil: NEXT_YEAR, metadataId: 'demo:zqx-reserved' };
    await done('/identifiers', { namingAuthority: A, localName: 'reserved', ...reserved });
    await done('/identifiers', fields('existing', { localName: 'existing' }));
    await done('/identifiers', { namingAuthority: A, localName: 'describing' });
    await done('/identifiers', { namingAuthority: A, localName: 'object', metadataId: `hdl:${A}/describing` });
    const names = new Set([SUBJECT, `${A}/object`]);
    for (const [key, [path, body, headers]] of Object.entries(requests))
      for (const name of await minted(path, key, body, headers)) names.add(name);
    expect(names.size).toBe(9);
    const patch = { method: 'PATCH', body: { target: 'https://repo.example.org/patched' } };
    const first = await ask(
      of(`${A}/describing`),
      { ...clients.curator, 'idempotency-key': 'patch', 'if-match': '*' },
      patch,
    );
    expect(first.text).toContain(`"describes":["${A}/object"]`);
    await withdraw(...names);
  });

  it.each(Object.entries(requests))(
    '%s has no values for a key that may not curate',
    async (key, [path, body, more]) => {
      const { status, text } = await send(path, key, { ...more, ...clients.minter }, body);
      const isReturned = key.endsWith('returned');
      expect([status < 300, isReturned && status === 409]).toEqual([!isReturned, isReturned]);
      const isReplayed = text.includes('"idempotency-replayed":"true"') || path.endsWith('bulk');
      expect(isReplayed).toBe(!isReturned);
      // An existing identifier is named by nothing but the value of the request.
      expect([key, text.includes(`${A}/existing`)]).toEqual([key, false]);
      // A conflict has no value, but the name of the identifier that has the value of the request.
      if (key.includes('conflict'))
        expect([text.includes('METADATA_ID_TAKEN'), text.includes(SUBJECT)]).toEqual([true, false]);
      expect([key, hasValue(text)]).toEqual([key, false]);
    },
  );

  it.each(Object.entries(requests))(
    '%s has them for a key of the client that may curate',
    async (key, [path, body, more]) => {
      const { text } = await send(path, key, { ...more, ...clients.curator }, body);
      if (key.includes('conflict'))
        expect([text.includes('METADATA_ID_TAKEN'), text.includes(SUBJECT)]).toEqual([true, true]);
      else expect([key, hasValue(text)]).toEqual([key, true]);
    },
  );

  it.each<[string, (mint: object) => [string, object | string, Headers?]]>([
    ['a mint', (mint) => ['/identifiers', mint]],
    ['a batch', (mint) => ['/identifiers/batch', { items: [mint] }]],
    ['a bulk', (mint) => ['/identifiers/bulk', ndjson(mint), NDJSON]],
  ])('of %s does not name the metadata record, which stays active', async (kind, requestOf) => {
    const [path, body, more] = requestOf({ namingAuthority: A, mintMetadataId: true });
    const names = await minted(path, `pair ${kind}`, body, more);
    const [object, record] = [names[0], names.at(-1)];
    expect(object).not.toBe(record);
    await withdraw(object!);
    const { text } = await send(path, `pair ${kind}`, { ...more, ...clients.minter }, body);
    expect([text.includes(object!), text.includes(record!)]).toEqual([true, false]);
    const curated = await send(path, `pair ${kind}`, { ...more, ...clients.curator }, body);
    expect(curated.text).toContain(record);
  });

  it('of a change of another identifier does not name it', async () => {
    const patch = { method: 'PATCH', body: { target: 'https://repo.example.org/patched' } };
    const headers = { ...clients.curator, 'idempotency-key': 'patch', 'if-match': '*' };
    const { text } = await ask(of(`${A}/describing`), headers, patch);
    expect([text.includes('"idempotency-replayed":"true"'), text.includes(`${A}/object`)]).toEqual([true, false]);
  });
});
