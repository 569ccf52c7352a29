import { describe, expect, it } from '@jest/globals';
import { resolveIdentifier } from '../../src/registry/resolve-identifier.js';
import { GUID, KNOWN, recordWith } from '../records.js';

const record = recordWith();
const reader = {
  find: ({ guid }: { guid: string | null }) => Promise.resolve(guid === GUID ? record : null),
};
const resolve = (text: string, known = KNOWN) => resolveIdentifier(text, known, reader, '#path/identifier');

describe('the identifier in a text', () => {
  it.each([GUID, `${GUID.toLowerCase()}?x`])('R-28: is found by any form: %s', async (localName) => {
    const found = await resolve(`hdl:100.102/${localName}`);
    expect(found).toMatchObject({ record, name: { type: 'cordra', guid: GUID } });
  });

  it.each([
    ['is not registered', `hdl://100.102/${'0'.repeat(32)}`, `100.102/${'0'.repeat(32)} is well formed`],
    ['has a foreign naming authority', '1234/x', '1234/x is not registered: its naming authority does not exist here'],
    ['is a GUID alone', GUID, `${GUID} is a GUID without its naming authority; send NA/GUID`],
    [
      'is the URI of a GUID',
      'urn:uuid:f58fb49e-b1f8-48f0-a606-e84cef294be5',
      'GET /identifiers/{GUID} and POST /identifiers/lookup find',
    ],
    ['is the name of a metadata record elsewhere', 'info:fedora/demo:7', 'POST /identifiers/lookup'],
  ])('is IDENTIFIER_NOT_FOUND if it %s', async (_, text, detail) => {
    await expect(resolve(text)).rejects.toMatchObject({
      code: 'IDENTIFIER_NOT_FOUND',
      detail: expect.stringContaining(detail),
    });
  });

  it('is found by a principal that sees its naming authority, and by no other', async () => {
    const seen = (visible: string) =>
      resolve(
        `100.102/${GUID}`,
        KNOWN.seenBy({}, (prefix) => prefix === visible),
      );
    await expect(seen('100.102')).resolves.toMatchObject({ record });
    await expect(seen('100.103')).rejects.toMatchObject({ code: 'IDENTIFIER_NOT_FOUND' });
  });

  it('is rejected with its pointer if it is malformed', async () => {
    await expect(resolve('100.102/')).rejects.toMatchObject({
      code: 'INVALID_GUID',
      extensions: { errors: [{ pointer: '#path/identifier' }] },
    });
  });
});
