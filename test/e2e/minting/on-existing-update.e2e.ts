import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { coded } from '../harness/client.js';
import { curationOf, pathOf } from '../harness/curation.js';
import { query, withoutTriggers } from '../harness/database.js';
import { freshGuid, freshMetadataId, freshPid } from '../harness/fresh-names.js';
import { NEXT_YEAR } from '../harness/reservations.js';
import { useSharedService } from '../harness/service.js';

const service = useSharedService();
const { history, minted, patch, step } = curationOf(service);

const [OLD, NEW, OTHER] = ['old', 'new', 'other'].map((name) => `https://repo.example.org/${name}`);
const keyed = () => ({ 'idempotency-key': randomUUID() });

const update = (fields: object, headers: Record<string, string> = {}) =>
  service.client.mint({ ...fields, onExisting: 'update' }, headers);
const current = async (identifier: string) => (await service.client.get(pathOf(identifier))).body;

describe('POST /identifiers with onExisting "update"', () => {
  it('mints an identifier whose metadata ID is new', async () => {
    const metadataId = freshMetadataId();
    const { status, body } = await update({ metadataId, target: NEW });
    expect([status, body.metadataId, body.target, body.version]).toEqual([201, metadataId, NEW, 1]);
    expect('ignored' in body).toBe(false);
  });

  it('mints without a metadata ID', async () => {
    expect((await update({ target: NEW })).status).toBe(201);
  });

  it('gives a known one the members that are sent, and leaves the others', async () => {
    const metadataId = freshMetadataId();
    const [first, second] = [freshPid(), freshPid()];
    const { identifier } = await minted({ metadataId, target: OLD, alternateIds: [first] });

    const retargeted = await update({ metadataId, target: NEW });
    expect([retargeted.status, retargeted.body.identifier]).toEqual([200, identifier]);
    expect(retargeted.body).toMatchObject({ target: NEW, alternateIds: [first], version: 2 });
    const renamed = await update({ metadataId, alternateIds: [second] });
    expect(renamed.body).toMatchObject({ target: NEW, alternateIds: [second], version: 3 });
    const emptied = await update({ metadataId, alternateIds: [] });
    expect(emptied.body).toMatchObject({ target: NEW, alternateIds: [], version: 4 });

    const { metadataRecord, ...shown } = emptied.body;
    expect(metadataRecord).toBeNull();
    expect(shown).toEqual(await current(identifier));
    expect(emptied.headers.get('etag')).toBe((await service.client.get(pathOf(identifier))).headers.get('etag'));
    expect(emptied.headers.get('idempotency-replayed')).toBeNull();
  });

  it('is in the history as a change, and releases the alternates that it replaces', async () => {
    const metadataId = freshMetadataId();
    const alternate = freshPid();
    const { identifier } = await minted({ metadataId, target: OLD, alternateIds: [alternate] });
    await update({ metadataId, target: NEW, alternateIds: [] });
    const [, change] = await history(identifier);
    expect(change).toMatchObject({
      version: 2,
      kind: 'changed',
      patch: [
        { op: 'replace', path: '/target', value: NEW },
        { op: 'replace', path: '/alternateIds', value: [] },
      ],
    });
    expect((await service.client.mint({ alternateIds: [alternate] })).status).toBe(201);
  });

  it('creates no version for equal values, in any notation', async () => {
    const guid = freshGuid();
    const pid = freshPid();
    const { identifier } = await minted({ metadataId: `hdl:2000.03/${guid}`, target: OLD, alternateIds: [pid] });
    const answer = await update({
      metadataId: `info:hdl/2000.03/${guid.toLowerCase()}`,
      target: OLD,
      alternateIds: [pid.slice('info:fedora/'.length)],
    });
    expect([answer.status, answer.body.identifier, answer.body.version]).toEqual([200, identifier, 1]);
    expect((await update({ metadataId: `hdl:2000.03/${guid}` })).body.version).toBe(1);
    expect(await history(identifier)).toHaveLength(1);
  });

  it('is 409 for a withdrawn one, which stays as it is', async () => {
    const metadataId = freshMetadataId();
    const { identifier, path } = await minted({ metadataId, target: OLD });
    await step(path, 'withdraw', { reason: 'a duplicate' });
    expect(coded(await update({ metadataId, target: NEW }))).toEqual([409, 'WRONG_STATE']);
    expect(await history(identifier)).toHaveLength(2);
  });

  it('updates a reserved one, which stays reserved', async () => {
    const metadataId = freshMetadataId();
    const { identifier } = await minted({ metadataId, state: 'reserved', leaseUntil: NEXT_YEAR });
    const { status, body } = await update({ metadataId, target: NEW, state: 'active' });
    expect([status, body.identifier, body.state, body.target]).toEqual([200, identifier, 'reserved', NEW]);
    expect(body.ignored).toEqual(['state']);
  });

  it('is 409 with the holder for an alternate of another identifier, and changes nothing', async () => {
    const [metadataId, alternate] = [freshMetadataId(), freshPid()];
    const holder = await minted({ alternateIds: [alternate] });
    const { identifier } = await minted({ metadataId, target: OLD });
    const answer = await update({ metadataId, target: NEW, alternateIds: [freshPid(), alternate] });
    expect(coded(answer)).toEqual([409, 'ALTERNATE_ID_TAKEN']);
    expect(answer.body.errors[0].pointer).toBe('/alternateIds/1');
    expect(answer.body.identifier).toBe(holder.identifier);
    expect(await current(identifier)).toMatchObject({ target: OLD, alternateIds: [], version: 1 });
  });

  it('has the alternate of a reservation whose lease has ended', async () => {
    const [metadataId, alternate] = [freshMetadataId(), freshPid()];
    const held = await minted({ alternateIds: [alternate], state: 'reserved', leaseUntil: NEXT_YEAR });
    await query(
      withoutTriggers(service.database.url),
      `UPDATE identifier SET lease_until = '2026-01-01' WHERE upper(replace(guid::text, '-', '')) = $1`,
      [held.body.guid],
    );
    await minted({ metadataId });
    const { status, body } = await update({ metadataId, alternateIds: [alternate] });
    expect([status, body.alternateIds]).toEqual([200, [alternate]]);
  });

  it('is 409 where a registered name is not that of the identifier with the metadata ID', async () => {
    const metadataId = freshMetadataId();
    const { body } = await minted({ metadataId, target: OLD });
    expect(coded(await update({ metadataId, guid: freshGuid(), target: NEW }))).toEqual([409, 'METADATA_ID_TAKEN']);
    expect((await update({ metadataId, guid: body.guid, target: NEW })).body).toMatchObject({
      target: NEW,
      version: 2,
    });
  });

  it('twenty at once with one new metadata ID mint one identifier, and each of them takes effect', async () => {
    const metadataId = freshMetadataId();
    const targets = Array.from({ length: 20 }, (_, i) => `https://repo.example.org/at-once/${i}`);
    const answers = await Promise.all(targets.map((target) => update({ metadataId, target })));
    expect(answers.map(({ status }) => status).sort()).toEqual([...Array.from({ length: 19 }, () => 200), 201]);
    expect(new Set(answers.map(({ body }) => body.identifier)).size).toBe(1);
    expect(answers.map(({ body }) => body.target)).toEqual(targets);
    const shown = await current(answers[0]!.body.identifier);
    expect(shown.version).toBe(20);
    // The answers are the versions of one record, each with its own target.
    expect(answers.map(({ body }) => body.version).sort((a, b) => a - b)).toEqual(targets.map((_, i) => i + 1));
    expect(answers.find(({ body }) => body.version === 20)?.body.target).toBe(shown.target);
    expect(await history(shown.identifier)).toHaveLength(20);
  });

  it('twenty at once with equal values create one version', async () => {
    const metadataId = freshMetadataId();
    const answers = await Promise.all(Array.from({ length: 20 }, () => update({ metadataId, target: NEW })));
    expect(answers.map(({ body }) => body.version)).toEqual(Array.from({ length: 20 }, () => 1));
  });
});

describe('an update with an Idempotency-Key', () => {
  it('takes effect once: a repeat after another change returns the first outcome and changes nothing', async () => {
    const [metadataId, headers] = [freshMetadataId(), keyed()];
    const { identifier, path } = await minted({ metadataId, target: OLD });
    const fields = { metadataId, target: NEW, state: 'reserved', leaseUntil: NEXT_YEAR };
    const first = await update(fields, headers);
    expect([first.status, first.body.version, first.body.ignored]).toEqual([200, 2, ['state', 'leaseUntil']]);
    await patch(path, { target: OTHER });
    const again = await update(fields, headers);
    expect([again.status, again.body.identifier, again.headers.get('idempotency-replayed')]).toEqual([
      200,
      identifier,
      'true',
    ]);
    // As for each mint, a replay shows the identifier as it is now.
    expect(again.body.ignored).toEqual(['target', 'state', 'leaseUntil']);
    expect([again.body.target, again.body.version]).toEqual([OTHER, 3]);
    expect(await current(identifier)).toMatchObject({ target: OTHER, version: 3 });
  });

  it('also a repeat of the mint, which does not update', async () => {
    const [metadataId, headers] = [freshMetadataId(), keyed()];
    const first = await update({ metadataId, target: NEW }, headers);
    await patch(pathOf(first.body.identifier), { target: OTHER });
    const again = await update({ metadataId, target: NEW }, headers);
    expect([again.status, again.headers.get('idempotency-replayed'), again.body.version]).toEqual([201, 'true', 2]);
  });

  it('takes effect once, although its metadata ID was moved', async () => {
    const [metadataId, headers] = [freshMetadataId(), keyed()];
    const { identifier, path } = await minted({ metadataId });
    await update({ metadataId, target: NEW }, headers);
    await patch(path, { metadataId: null });
    const again = await update({ metadataId, target: NEW }, headers);
    expect([again.status, again.body.identifier]).toEqual([200, identifier]);
    expect((await service.client.mint({ metadataId })).status).toBe(201);
  });

  it('takes effect once for twenty at once', async () => {
    const [metadataId, headers] = [freshMetadataId(), keyed()];
    const { identifier } = await minted({ metadataId, target: OLD });
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => update({ metadataId, target: NEW, alternateIds: [] }, headers)),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 20 }, () => 200));
    expect(answers.filter(({ headers: sent }) => sent.get('idempotency-replayed') === null)).toHaveLength(1);
    expect((await current(identifier)).version).toBe(2);
  });

  it('its key is rejected for another body, another value of onExisting, and an empty list instead of none', async () => {
    const [metadataId, headers] = [freshMetadataId(), keyed()];
    await minted({ metadataId, target: OLD });
    await update({ metadataId, target: NEW }, headers);
    const reused = [422, 'IDEMPOTENCY_KEY_REUSED'];
    expect(coded(await update({ metadataId, target: OTHER }, headers))).toEqual(reused);
    expect(coded(await update({ metadataId, target: NEW, alternateIds: [] }, headers))).toEqual(reused);
    expect(coded(await service.client.mint({ metadataId, target: NEW }, headers))).toEqual(reused);
  });

  it('the key of a change is rejected, and a failed update leaves its key unused', async () => {
    const [metadataId, ofChange, ofFailed] = [freshMetadataId(), keyed(), keyed()];
    const { path } = await minted({ metadataId, target: OLD });
    await patch(path, { target: OTHER }, ofChange);
    expect(coded(await update({ metadataId, target: NEW }, ofChange))).toEqual([422, 'IDEMPOTENCY_KEY_REUSED']);
    expect((await service.client.get(path)).body).toMatchObject({ target: OTHER, version: 2 });
    await step(path, 'withdraw', { reason: 'x' });
    expect(coded(await update({ metadataId, target: NEW }, ofFailed))).toEqual([409, 'WRONG_STATE']);
    await step(path, 'reinstate');
    expect((await update({ metadataId, target: NEW }, ofFailed)).body).toMatchObject({ target: NEW, version: 5 });
  });
});

describe('onExisting "return"', () => {
  const mint = (fields: object, headers: Record<string, string> = {}) =>
    service.client.mint({ ...fields, onExisting: 'return' }, headers);
  const sent = { target: NEW, alternateIds: ['info:fedora/demo:ignored'] };

  it('names the members that the existing identifier has with other values', async () => {
    const [metadataId, headers] = [freshMetadataId(), keyed()];
    const { identifier, path } = await minted({ metadataId, target: OLD });
    const both = await mint({ metadataId, ...sent }, headers);
    expect([both.status, both.body.identifier, both.body.target]).toEqual([200, identifier, OLD]);
    expect(both.body.ignored).toEqual(['target', 'alternateIds']);
    expect((await mint({ metadataId, target: NEW })).body.ignored).toEqual(['target']);
    expect('ignored' in (await mint({ metadataId, target: OLD })).body).toBe(false);
    expect('ignored' in (await mint({ metadataId })).body).toBe(false);
    const reserved = { state: 'reserved', leaseUntil: NEXT_YEAR };
    expect((await mint({ metadataId, ...reserved })).body.ignored).toEqual(['state', 'leaseUntil']);
    expect((await service.client.get(path)).body.version).toBe(1);

    await patch(path, { target: NEW });
    const again = await mint({ metadataId, ...sent }, headers);
    expect([again.headers.get('idempotency-replayed'), again.body.ignored]).toEqual(['true', ['alternateIds']]);
  });
});
