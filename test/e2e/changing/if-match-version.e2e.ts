import { describe, expect, it } from '@jest/globals';
import { coded } from '../harness/client.js';
import { curationOf } from '../harness/curation.js';
import { authoritiesOf } from '../harness/naming-authorities.js';
import { NEXT_YEAR } from '../harness/reservations.js';
import { useService } from '../harness/service.js';

const service = useService();
const { minted, patch, step } = curationOf(service);
const authorities = authoritiesOf(service);

const target = (name: string) => ({ target: `https://repo.example.org/${name}` });
const STALE = [412, 'PRECONDITION_FAILED'];

describe('If-Match with a version', () => {
  it('permits a change of this version of an identifier, and of no other', async () => {
    const { path, tag } = await minted();
    expect((await patch(path, target('a'), { 'if-match': '"1"' })).body.version).toBe(2);
    expect(coded(await patch(path, target('b'), { 'if-match': '"1"' }))).toEqual(STALE);
    expect(coded(await patch(path, target('b'), { 'if-match': '"3"' }))).toEqual(STALE);
    expect(coded(await patch(path, target('b'), { 'if-match': 'W/"2"' }))).toEqual(STALE);
    expect(coded(await patch(path, target('b'), { 'if-match': '2' }))).toEqual([400, 'INVALID_PRECONDITION']);
    expect((await patch(path, target('b'), { 'if-match': `${tag}, "7", "2"` })).body.version).toBe(3);
    expect((await patch(path, target('c'), { 'if-match': '*' })).body.version).toBe(4);
  });

  it('permits a change although other identifiers have changed the entity tag, and none after a change of its own', async () => {
    const { path, identifier, tag } = await minted();
    await service.client.mint({ metadataId: `hdl:${identifier}` });
    await service.client.mint({ previousVersion: identifier });
    const { headers, body } = await service.client.get(path, { 'if-none-match': tag });
    expect([body.version, body.describes.length, body.newerVersions.length]).toEqual([1, 1, 1]);
    const changed = await patch(path, target('a'), { 'if-match': tag });
    expect([changed.status, changed.body.version]).toEqual([200, 2]);
    expect(coded(await patch(path, target('b'), { 'if-match': headers.get('etag')! }))).toEqual(STALE);
    const withdrawn = await step(path, 'withdraw', { reason: 'x' }, { 'if-match': changed.headers.get('etag')! });
    expect([withdrawn.status, withdrawn.body.version]).toEqual([200, 3]);
  });

  it('permits no change of the same version of another time, as one before a restore', async () => {
    const { path, tag, body } = await minted();
    const [version, time, digest] = tag.slice(1, -1).split('-', 3);
    expect([version, parseInt(time!, 36)]).toEqual(['1', Date.parse(body.updatedAt)]);
    const before = `"1-${(parseInt(time!, 36) - 1).toString(36)}-${digest}"`;
    expect(coded(await patch(path, target('a'), { 'if-match': before }))).toEqual(STALE);
  });

  it('permits no change with the entity tag of a page, and says that it is one', async () => {
    const { path } = await minted();
    const page = await fetch(service.server.url + path, { headers: { accept: 'text/html' } });
    const rejected = await patch(path, target('a'), { 'if-match': page.headers.get('etag')! });
    expect(coded(rejected)).toEqual(STALE);
    expect(rejected.body.detail).toContain('Accept: application/json');
  });

  it('permits no change with an entity tag that a proxy has weakened, and says which one does', async () => {
    const { path, tag } = await minted();
    for (const weak of [`W/${tag}`, 'W/"1"']) {
      const rejected = await patch(path, target('a'), { 'if-match': weak });
      expect(coded(rejected)).toEqual(STALE);
      expect(rejected.body.detail).toMatch(/weak entity tag.*proxy.*: send "1"\.$/);
    }
    const changed = await patch(path, target('a'), { 'if-match': tag.replace(/"$/, '-gzip"') });
    expect([changed.status, changed.body.version]).toEqual([200, 2]);
    for (const old of [`W/${tag}`, tag.replace(/"$/, '-gzip"')]) {
      const stale = await patch(path, target('b'), { 'if-match': old });
      expect(stale.body.detail).toMatch(/^If-Match does not match version 2/);
    }
    const unknown = await patch(path, target('b'), { 'if-match': '"abc"' });
    expect(unknown.body.detail).toMatch(/proxy.* version in double quotes\.$/);
  });

  it('is a precondition of activate, withdraw and reinstate', async () => {
    const { path } = await minted({ state: 'reserved', leaseUntil: NEXT_YEAR });
    const steps = [
      ['activate', {}],
      ['withdraw', { reason: 'x' }],
      ['reinstate', {}],
    ] as const;
    for (const [index, [name, body]] of steps.entries()) {
      const version = index + 1;
      for (const wrong of [`"${version + 1}"`, `W/"${version}"`]) {
        expect(coded(await step(path, name, body, { 'if-match': wrong }))).toEqual(STALE);
      }
      const { status, body: shown } = await step(path, name, body, { 'if-match': `"${version}"` });
      expect([name, status, shown.version]).toEqual([name, 200, version + 1]);
    }
  });

  it('accepts one of twenty changes of one version', async () => {
    const { path } = await minted();
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, i) => patch(path, target(`${i}`), { 'if-match': '"1"' })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array.from({ length: 19 }, () => 412)]);
  });

  it('permits no change of an older version of a naming authority', async () => {
    const prefix = await authorities.created();
    expect((await authorities.patch(prefix, { uuidVersion: 7 }, { 'if-match': '"1"' })).body.version).toBe(2);
    expect(coded(await authorities.patch(prefix, { uuidVersion: 1 }, { 'if-match': '"1"' }))).toEqual(STALE);
  });

  it('permits no change if If-None-Match matches (RFC 9110 13.1.2)', async () => {
    const { path, tag } = await minted();
    for (const value of ['*', tag, `W/${tag}`]) {
      const rejected = await patch(path, target('a'), { 'if-none-match': value });
      expect(coded(rejected)).toEqual(STALE);
      expect(rejected.body.errors[0].header).toBe('If-None-Match');
    }
    expect(coded(await step(path, 'withdraw', { reason: 'x' }, { 'if-none-match': '*' }))).toEqual(STALE);
    const changed = await patch(path, target('a'), { 'if-none-match': '"other"', 'idempotency-key': 'none-match' });
    expect([changed.status, changed.body.version]).toEqual([200, 2]);
    const reused = await patch(path, target('a'), { 'if-none-match': '*', 'idempotency-key': 'none-match' });
    expect(coded(reused)).toEqual([422, 'IDEMPOTENCY_KEY_REUSED']);
    const prefix = await authorities.created();
    const none = { 'if-match': '*', 'if-none-match': '*' };
    expect(coded(await authorities.patch(prefix, { uuidVersion: 7 }, none))).toEqual(STALE);
  });

  it('permits a read of what it permits a change of, and If-None-Match with a version matches nothing', async () => {
    const { path, tag } = await minted();
    await service.client.mint({ previousVersion: path.slice('/identifiers/'.length) });
    for (const value of ['"1"', tag, '"7", "1"', '*']) {
      const read = await service.client.get(path, { 'if-match': value });
      expect([value, read.status, read.body.newerVersions.length]).toEqual([value, 200, 1]);
      expect([value, (await patch(path, {}, { 'if-match': value })).status]).toEqual([value, 200]);
    }
    for (const value of ['"2"', 'W/"1"', `W/${tag}`]) {
      expect(coded(await service.client.get(path, { 'if-match': value }))).toEqual(STALE);
      expect(coded(await patch(path, {}, { 'if-match': value }))).toEqual(STALE);
    }
    const page = await service.client.get(path, { 'if-match': '"1"', accept: 'text/html' });
    expect(coded(page)).toEqual(STALE);
    expect((await service.client.get(path, { 'if-none-match': '"1"' })).status).toBe(200);
  });
});
