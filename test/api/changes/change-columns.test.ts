import { describe, expect, it } from '@jest/globals';
import { CHANGE_COLUMNS, readRow } from '../../../src/api/changes/change-columns.js';
import { headerRules } from '../../../src/http/csv/file-columns.js';

const columnsOf = (header: string[], map?: string) => headerRules(CHANGE_COLUMNS, map).columnsOf(header);

describe('the columns of a file of changes', () => {
  it.each<[string, string[], string | undefined, (string | false)[]]>([
    ['in any case, with spaces', [' IDENTIFIER ', 'metadataid'], undefined, ['identifier', 'metadataId']],
    ['by a map', ['PID', 'New URL'], 'pid:identifier, New URL : TARGET', ['identifier', 'target']],
    ['with colons in their names', ['dc:id', 'a:b:c'], 'dc:id:identifier,a:b:c:ignore', ['identifier', false]],
    [
      'without those that are left out',
      ['identifier', 'Note', 'x'],
      'Note:ignore,x:ignore',
      ['identifier', false, false],
    ],
    [
      'without all others',
      ['identifier', 'target', 'x'],
      'identifier:identifier,*:ignore',
      ['identifier', false, false],
    ],
    [
      'by a map before their own names',
      ['identifier', 'target', 'url'],
      'target:ignore,url:target',
      ['identifier', false, 'target'],
    ],
  ])('are read %s', (_, header, map, columns) => {
    expect(columnsOf(header, map)).toEqual(columns);
  });

  it('that are unknown are rejected with what to do', () => {
    expect(() => columnsOf(['identifier', 'New URL'])).toThrow(/columns=New URL:target .* columns=New URL:ignore/);
  });

  it('that a map of all others leaves out are rejected with what to add to it', () => {
    const header = ['Identifier', 'target', 'version'];
    expect(() => columnsOf(header, 'version:ifVersion,*:ignore')).toThrow(
      'is missing: "*:ignore" leaves it out; add "identifier:identifier".',
    );
    expect(() => columnsOf(header, 'identifier:clientRef,*:ignore')).toThrow('"metadataId" is missing. ');
  });
});

describe('a row of changes', () => {
  it('has no member for an empty cell', () => {
    expect(
      readRow({ identifier: 'a', target: '', alternateIds: '', withdrawalReason: '', activate: '', ifVersion: '' }),
    ).toEqual({
      identifier: 'a',
    });
  });

  it.each([
    [{ alternateIds: ' demo:1  demo:2' }, { alternateIds: ['demo:1', 'demo:2'] }],
    [{ withdrawalReason: 'x', replacedBy: 'y' }, { withdraw: { reason: 'x', replacedBy: 'y' } }],
    [{ replacedBy: 'y' }, { withdraw: { replacedBy: 'y' } }],
    [{ withdrawalReasonCode: 'legal' }, { withdraw: { reasonCode: 'legal' } }],
    [
      { reinstate: 'TRUE', activate: 'false' },
      { reinstate: true, activate: false },
    ],
    [{ activate: 'yes' }, { activate: 'yes' }],
    [
      { ifVersion: '12', clientRef: "'=1" },
      { ifVersion: 12, clientRef: '=1' },
    ],
    [{ ifVersion: '1e3' }, { ifVersion: '1e3' }],
  ])('%j is %j', (row, line) => {
    expect(readRow(row as Record<string, string>)).toEqual(line);
  });
});
