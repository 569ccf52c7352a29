import { describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { type Answer, coded } from '../harness/client.js';
import { curationOf } from '../harness/curation.js';
import { freshMetadataId, freshPid } from '../harness/fresh-names.js';
import { authoritiesOf } from '../harness/naming-authorities.js';
import { NEXT_YEAR } from '../harness/reservations.js';
import { useService } from '../harness/service.js';

const service = useService();
const { history, minted, patch, step } = curationOf(service);
const authorities = authoritiesOf(service);

const pointers = ({ body }: Answer) => body.errors.map(({ pointer }: { pointer: string }) => pointer);
const READ_ONLY = [422, 'READ_ONLY_MEMBER'];

/** Another value of the same type. */
function other(value: unknown): unknown {
  if (typeof value === 'string') return `${value}0`;
  if (typeof value === 'number') return value + 1;
  if (typeof value === 'boolean') return !value;
  return value === null ? 'x' : null;
}

describe('PATCH /identifiers/{identifier} with the representation that was read', () => {
  const read = async (fields: object = {}) => {
    const made = await minted({ metadataId: freshMetadataId(), alternateIds: [freshPid()], ...fields });
    return { ...made, shown: (await service.client.get(made.path)).body };
  };

  it('changes nothing when it is sent as it is', async () => {
    const { path, identifier, tag, shown } = await read();
    const answer = await patch(path, shown, { 'if-match': tag });
    expect([answer.status, answer.body]).toEqual([200, shown]);
    expect(await history(identifier)).toHaveLength(1);
  });

  it('changes the members that differ and can be set', async () => {
    const { path, tag, shown } = await read({ target: 'https://repo.example.org/old' });
    const changed = { ...shown, target: 'https://repo.example.org/new', metadataId: null };
    const answer = await patch(path, changed, { 'if-match': tag });
    expect([answer.status, answer.body]).toEqual([200, { ...changed, version: 2, updatedAt: answer.body.updatedAt }]);
  });

  it('takes the response to a mint too', async () => {
    const { path, tag, body } = await minted({ mintMetadataId: true });
    expect(body.metadataRecord).not.toBeNull();
    const answer = await patch(path, { ...body, target: 'https://a.example/' }, { 'if-match': tag });
    expect([answer.status, answer.body.target, answer.body.metadataId]).toEqual([
      ...[200, 'https://a.example/', body.metadataId],
    ]);
  });

  it('rejects each read-only member that differs, all at once, and changes nothing', async () => {
    const { path, identifier, shown } = await read();
    const settable = ['metadataId', 'target', 'language', 'alternateIds', 'previousVersion'];
    const computed = ['describes', 'newerVersions', 'uris'];
    const compared = Object.keys(shown).filter((name) => ![...settable, ...computed].includes(name));
    for (const name of compared) {
      const answer = await patch(path, { target: 'https://repo.example.org/new', [name]: other(shown[name]) });
      expect([name, ...coded(answer), pointers(answer)]).toEqual([name, ...READ_ONLY, [`/${name}`]]);
    }
    const all = Object.fromEntries(compared.map((name) => [name, other(shown[name])]));
    const answer = await patch(path, { ...all, target: 'https://repo.example.org/new' });
    expect([...coded(answer), pointers(answer).sort()]).toEqual([
      ...READ_ONLY,
      compared.map((name) => `/${name}`).sort(),
    ]);
    expect(await history(identifier)).toHaveLength(1);
  });

  it('ignores "describes" and "uris", which change without a version', async () => {
    const { path, identifier, shown } = await read();
    await service.client.mint({ metadataId: `hdl:${identifier}` });
    const stale = {
      ...shown,
      uris: { ...shown.uris, resolver: 'https://earlier.example.org/' },
      target: 'https://a.example/',
    };
    const answer = await patch(path, stale, { 'if-match': '"1"' });
    expect([answer.status, answer.body.target, answer.body.describes.length]).toEqual([200, 'https://a.example/', 1]);
    expect(answer.body.uris).toEqual(shown.uris);
  });

  it('compares with the version that is changed: an older one is 412 with its entity tag, and 422 with *', async () => {
    const { path, tag, shown } = await read();
    await patch(path, { target: 'https://a.example/' });
    const change = { ...shown, target: 'https://b.example/' };
    expect(coded(await patch(path, change, { 'if-match': tag }))).toEqual([412, 'PRECONDITION_FAILED']);
    const answer = await patch(path, change, { 'if-match': '*' });
    expect([...coded(answer), pointers(answer).sort()]).toEqual([...READ_ONLY, ['/updatedAt', '/version']]);
  });

  it('accepts only members of the representation', async () => {
    const { path, shown } = await read();
    const answer = await patch(path, { ...shown, colour: 'red' });
    expect([...coded(answer), pointers(answer)]).toEqual([400, 'INVALID_REQUEST', ['/colour']]);
    const invalid = await patch(path, { ...shown, target: 7 });
    expect([...coded(invalid), pointers(invalid)]).toEqual([400, 'INVALID_REQUEST', ['/target']]);
  });

  it('a repeat with its Idempotency-Key returns the first outcome, although the version has changed', async () => {
    const { path, tag, shown } = await read();
    const headers = { 'if-match': tag, 'idempotency-key': randomUUID() };
    const change = { ...shown, target: 'https://a.example/' };
    const first = await patch(path, change, headers);
    const again = await patch(path, change, headers);
    expect([first.status, again.status, again.headers.get('idempotency-replayed')]).toEqual([200, 200, 'true']);
    expect(again.body).toEqual(first.body);
  });

  it('is accepted by activate too', async () => {
    const { path, shown } = await read({ state: 'reserved', leaseUntil: NEXT_YEAR });
    const wrong = await step(path, 'activate', { ...shown, state: 'active' });
    expect([...coded(wrong), pointers(wrong)]).toEqual([...READ_ONLY, ['/state']]);
    const answer = await step(path, 'activate', { ...shown, target: 'https://a.example/' });
    expect([answer.status, answer.body.state, answer.body.target]).toEqual([200, 'active', 'https://a.example/']);
  });
});

describe('PATCH /naming-authorities/{namingAuthority} with the representation that was read', () => {
  it('changes nothing when it is sent as it is, also after mints', async () => {
    const prefix = await authorities.created({
      resolver: { scheme: 'https', authority: 'a.example' },
      targetTemplate: 'https://a.example/{guid}',
    });
    const shown = await authorities.show(prefix);
    await service.client.mint({ namingAuthority: prefix });
    await authorities.created({ namingAuthority: `${prefix}.1` });
    const answer = await authorities.patch(prefix, shown.body, { 'if-match': shown.headers.get('etag')! });
    expect([answer.status, answer.body.version]).toEqual([200, 1]);
    expect(answer.body.counts.active.value).toBe(1);
    expect(answer.body.children).toEqual([`${prefix}.1`]);
  });

  it('changes the settings that differ', async () => {
    const prefix = await authorities.created();
    const { body } = await authorities.show(prefix);
    const answer = await authorities.patch(prefix, { ...body, uuidVersion: 7 });
    expect([answer.status, answer.body.uuidVersion, answer.body.version]).toEqual([200, 7, 2]);
  });

  it('rejects each read-only member that differs, and changes nothing', async () => {
    const prefix = await authorities.created({ profile: 'handle' });
    // These settings are fixed by the first identifier.
    await service.client.mint({ namingAuthority: prefix });
    const { body } = await authorities.show(prefix);
    const compared = ['namingAuthority', 'caseInsensitive', 'storesHandleValues', 'sandbox'];
    for (const name of ['profile', ...compared, 'version', 'createdAt', 'updatedAt']) {
      const value = name === 'profile' ? 'cordra' : other(body[name]);
      const answer = await authorities.patch(prefix, { uuidVersion: 7, [name]: value });
      expect([name, ...coded(answer), pointers(answer)]).toEqual([name, ...READ_ONLY, [`/${name}`]]);
    }
    expect((await authorities.show(prefix)).body).toEqual(body);
  });

  it('accepts only members of the representation', async () => {
    const prefix = await authorities.created();
    const { body } = await authorities.show(prefix);
    expect(coded(await authorities.patch(prefix, { ...body, colour: 'red' }))).toEqual([400, 'INVALID_REQUEST']);
  });
});
