import { describe, expect, it } from '@jest/globals';
import { Problem } from '../../src/problem/problem.js';
import { requireTemplate, targetFrom } from '../../src/registry/target-template.js';

/** The detail of the problem that is thrown, or "accepted". */
function detailOf(work: () => unknown): string {
  try {
    work();
    return 'accepted';
  } catch (error) {
    if (error instanceof Problem) return error.detail;
    throw error;
  }
}

describe('a target template', () => {
  it.each([
    ['https://repo.example.org/{guid}', 'accepted'],
    ['http://repo.example.org/o?id={localName}#x', 'accepted'],
    ['https://repo.example.org/{guid}/{guid}', 'accepted'],
    ['https://repo.example.org/', 'must contain {guid}'],
    ['https://repo.example.org/{name}', 'must contain {guid}'],
    ['https://{guid}.example.org/', 'only after the host'],
    ['https://repo.example.org:{guid}/', 'only after the host'],
    ['{guid}', 'must result in an http or https URL'],
    ['ftp://repo.example.org/{guid}', 'must result in an http or https URL'],
    ['https://user:secret@repo.example.org/{guid}', 'must result in an http or https URL'],
    ['https://repo.example.org/a b/{guid}', 'must result in an http or https URL'],
    [`https://repo.example.org/${'x'.repeat(1992)}{guid}`, 'at most 2048 characters'],
  ])('%s: %s', (template, expected) => {
    expect(
      detailOf(() => {
        requireTemplate(template, '/targetTemplate');
      }),
    ).toContain(expected);
  });

  it.each([
    ['https://repo.example.org/{guid}', 'F58F', 'https://repo.example.org/F58F'],
    ['https://repo.example.org/{localName}?n={localName}', 'a/b c', 'https://repo.example.org/a%2Fb%20c?n=a%2Fb%20c'],
    ['https://repo.example.org/?n={localName}', '..', 'https://repo.example.org/?n=..'],
    ['https://repo.example.org/x{localName}', '..', 'https://repo.example.org/x..'],
    [null, 'F58F', null],
  ])('%s of the local name %s results in %s', (targetTemplate, localName, expected) => {
    expect(targetFrom({ targetTemplate }, localName)).toBe(expected);
  });

  it.each([
    ['https://repo.example.org/{localName}', '..', 'cannot be used with this local name'],
    ['https://repo.example.org/{localName}/x', '.', 'cannot be used with this local name'],
    ['https://repo.example.org/{localName}', 'ä'.repeat(400), 'a target of 2425 characters'],
  ])(
    '%s is refused for the local name %s, and the request can send a target',
    (targetTemplate, localName, expected) => {
      const detail = detailOf(() => targetFrom({ targetTemplate }, localName));
      expect(detail).toContain(expected);
      expect(detail).toContain('send `target` explicitly');
    },
  );
});
