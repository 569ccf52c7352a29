import { readFileSync, readdirSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { availabilityOf, blockedByLinks, withdrawnProblem } from '../../src/registry/availability.js';
import type { ReasonCode } from '../../src/registry/identifier-record.js';
import { recordWith } from '../records.js';

const gone = (reasonCode: ReasonCode, replacedBy: string | null = null) => ({
  tombstone: { withdrawnAt: new Date('2026-11-25T10:00:00Z'), reasonCode, reason: 'Twice.', replacedBy },
});

describe('a record is', () => {
  it.each<[string, ReasonCode, string | null, object]>([
    ['gone', 'duplicate', null, { kind: 'gone' }],
    ['moved to the replacement of a duplicate', 'duplicate', '77.7/a', { kind: 'moved', to: '77.7/a' }],
    ['blocked, also with a replacement', 'legal', '77.7/a', { kind: 'blocked' }],
    ['gone', 'other', '77.7/a', { kind: 'gone' }],
    ['gone', 'error', '77.7/a', { kind: 'gone' }],
    ['gone', 'deleted', null, { kind: 'gone' }],
    ['gone', 'expired', null, { kind: 'gone' }],
    ['gone', 'released', null, { kind: 'gone' }],
    ['gone', 'undone', null, { kind: 'gone' }],
  ])('%s: %s', (_, reasonCode, replacedBy, expected) => {
    const withdrawn = gone(reasonCode, replacedBy);
    expect(availabilityOf(withdrawn)).toEqual({ ...expected, tombstone: withdrawn.tombstone });
  });

  it('shown without a tombstone', () => {
    expect(availabilityOf({ tombstone: null })).toEqual({ kind: 'shown' });
  });
});

describe('the problem of a withdrawn record', () => {
  it.each<[ReasonCode, string]>([
    ['duplicate', 'IDENTIFIER_WITHDRAWN'],
    ['other', 'IDENTIFIER_WITHDRAWN'],
    ['legal', 'IDENTIFIER_BLOCKED'],
  ])('%s is %s, with its tombstone', (reasonCode, code) => {
    const problem = withdrawnProblem(recordWith({ guid: null, localName: 'x', ...gone(reasonCode, '77.7/a') }));
    expect([problem.code, problem.detail]).toEqual([code, '100.102/x was withdrawn: Twice. Use 77.7/a instead.']);
    expect(problem.extensions.members).toMatchObject({
      identifier: '100.102/x',
      tombstone: { reasonCode, reason: 'Twice.', replacedBy: '77.7/a', withdrawnAt: '2026-11-25T10:00:00.000Z' },
    });
  });

  it.each(['Twice', 'Twice.', 'Twice!'])('separates the reason %j from the replacement', (reason) => {
    const { tombstone } = gone('other', '77.7/a');
    const record = recordWith({ guid: null, localName: 'x', tombstone: { ...tombstone, reason } });
    expect(withdrawnProblem(record).detail).toMatch(/ was withdrawn: Twice[.!] Use 77\.7\/a instead\.$/);
    const alone = { ...record, tombstone: { ...tombstone, reason, replacedBy: null } };
    expect(withdrawnProblem(alone).detail).toBe(`100.102/x was withdrawn: ${reason}`);
  });
});

describe('RFC 7725 4: the link to who blocks a record', () => {
  const url = 'https://repo.example.org/about';

  it('is that of the setting, for a legal reason only', () => {
    expect(blockedByLinks(gone('legal'), url)).toEqual([{ rel: 'blocked-by', href: url }]);
    expect(blockedByLinks(gone('legal'), null)).toEqual([]);
    expect(blockedByLinks(gone('duplicate', '77.7/a'), url)).toEqual([]);
    expect(blockedByLinks({ tombstone: null }, url)).toEqual([]);
  });
});

it('one file decides how a withdrawn record is answered: no interface compares a tombstone or its code', () => {
  const sources = ['api/lookup', 'api/representation', 'finding', 'handle/resolver', 'handle/api'].flatMap((folder) =>
    readdirSync(`src/${folder}`, { recursive: true, encoding: 'utf8' }).map((name) => `src/${folder}/${name}`),
  );
  const files = sources.filter((path) => path.endsWith('.ts'));
  expect(files.length).toBeGreaterThan(40);
  const deciding = files.filter((path) =>
    /(tombstone|reasonCode)\??(\.reasonCode)? *[!=]==|HttpStatus\.GONE|\b4(10|51)\b/.test(
      // Without comments, and without the statuses of the OpenAPI document.
      readFileSync(path, 'utf8').replaceAll(/\/\*\*[^]*?\*\/|\[404, 410, 451\]/g, ''),
    ),
  );
  expect(deciding).toEqual([]);
});
