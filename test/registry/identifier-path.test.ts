import { describe, expect, it } from '@jest/globals';
import { conflictProblem } from '../../src/registry/conflict-problem.js';
import { type IdentifierRecord, locationOf } from '../../src/registry/identifier-record.js';

const GUID = 'F58F7BFE33754A61BD1BE9E57AB19CE9';

describe('the path of an identifier', () => {
  it.each([
    [`100.102/${GUID}`, `/identifiers/100.102/${GUID}`],
    ['100.102/a b/c?d#e', '/identifiers/100.102%2Fa%20b%2Fc%3Fd%23e'],
    ['Ark/x', '/identifiers/hdl%3AArk%2Fx'],
  ])('of %s is %s', (identifier, path) => {
    expect(locationOf({ identifier })).toBe(path);
  });
});

describe('a conflict', () => {
  it('names the identifier that has the name, and its path', () => {
    const existing = { namingAuthority: '100.102', localName: GUID, guid: GUID } as IdentifierRecord;
    const problem = conflictProblem('METADATA_ID_TAKEN', 'The metadata ID is used', existing, '/metadataId');
    expect(problem).toMatchObject({
      code: 'METADATA_ID_TAKEN',
      detail: `The metadata ID is used already: 100.102/${GUID}.`,
    });
    expect(problem.extensions).toEqual({
      errors: [{ pointer: '/metadataId', detail: `is used by 100.102/${GUID}` }],
      members: { existing: `/identifiers/100.102/${GUID}`, identifier: `100.102/${GUID}` },
    });
  });
});
