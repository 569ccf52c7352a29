import { describe, expect, it } from '@jest/globals';
import { Problem } from '../../src/problem/problem.js';
import { requireTemplate, targetFrom } from '../../src/registry/target-template.js';

const GUID = 'F58FB49EB1F848F0A606E84CEF294BE5';
const BASE = 'https://repo.example.org/';

/** The problem that a function throws; fails if it returns. */
function problemOf(run: () => unknown): Problem {
  try {
    run();
  } catch (error) {
    expect(error).toBeInstanceOf(Problem);
    return error as Problem;
  }
  throw new Error('no problem was thrown');
}

describe('requireTemplate', () => {
  it.each([
    ['a path', `${BASE}objects/{guid}`],
    ['a query', `${BASE}?id={localName}`],
    ['a fragment', `${BASE}#{guid}`],
    ['http and a port', 'http://repo.example.org:8080/{guid}'],
    ['several placeholders', `${BASE}{guid}/{localName}?id={guid}`],
    ['the longest result', `${BASE}${'a'.repeat(2048 - BASE.length - 32)}{guid}`],
  ])('accepts a template with %s', (_, template) => {
    expect(() => {
      requireTemplate(template, '/targetTemplate');
    }).not.toThrow();
  });

  it.each([
    ['without a placeholder', `${BASE}objects/1`, 'must contain {guid} or {localName}'],
    ['with an unknown placeholder only', `${BASE}{GUID}`, 'must contain {guid} or {localName}'],
    ['with an empty text', '', 'must contain {guid} or {localName}'],
    ['with a placeholder as the host', 'https://{guid}/', 'only after the host'],
    ['with a placeholder in the host', 'https://{localName}.example.org/', 'only after the host'],
    ['with a placeholder in the port', 'https://repo.example.org:{guid}/', 'only after the host'],
    ['with a placeholder in the userinfo', 'https://{guid}@repo.example.org/', 'only after the host'],
    ['with a placeholder in the host of another scheme', 'ftp://{guid}/', 'only after the host'],
    ['with a placeholder as the scheme', '{guid}://repo.example.org/', 'http or https URL'],
    ['of another scheme', 'ftp://repo.example.org/{guid}', 'http or https URL'],
    ['of the scheme javascript', 'javascript:alert({guid})', 'http or https URL'],
    ['of a relative URL', '/objects/{guid}', 'http or https URL'],
    ['with user and password', 'https://user:secret@repo.example.org/{guid}', 'without user and password'],
    ['with another placeholder', `${BASE}{guid}/{id}`, 'must be percent-encoded'],
    ['with a space', `${BASE}a b/{guid}`, 'must be percent-encoded'],
    ['with a letter beyond ASCII', `${BASE}é/{guid}`, 'must be percent-encoded'],
    ['with an incomplete escape', `${BASE}%4/{guid}`, 'must be percent-encoded'],
    [
      'with a result of one character too many',
      `${BASE}${'a'.repeat(2048 - BASE.length - 31)}{guid}`,
      'at most 2048 characters',
    ],
  ])('rejects a template %s', (_, template, detail) => {
    const problem = problemOf(() => {
      requireTemplate(template, '/targetTemplate');
    });
    expect(problem.code).toBe('INVALID_REQUEST');
    expect(problem.extensions.errors).toEqual([
      { pointer: '/targetTemplate', detail: expect.stringContaining(detail) },
    ]);
  });
});

describe('targetFrom', () => {
  const target = (targetTemplate: string | null, localName: string) => targetFrom({ targetTemplate }, localName);

  it('returns null without a template', () => {
    expect(target(null, GUID)).toBeNull();
  });

  it('replaces each placeholder by the local name', () => {
    expect(target(`${BASE}{guid}/{localName}?id={guid}`, GUID)).toBe(`${BASE}${GUID}/${GUID}?id=${GUID}`);
  });

  it.each([
    ['"/" does not start a segment', 'a/b', 'a%2Fb'],
    ['"?" and "#" do not end the path', 'a?b#c', 'a%3Fb%23c'],
    ['"&" and "=" do not separate parameters', 'a&b=c', 'a%26b%3Dc'],
    ['"%" is data', '100%25', '100%2525'],
    ['a space', 'a b', 'a%20b'],
    ['"+" is not a space', 'a+b', 'a%2Bb'],
    ['quotation marks and angle brackets', `"<>'`, "%22%3C%3E'"],
    ['characters beyond ASCII, as UTF-8', 'é€😀', '%C3%A9%E2%82%AC%F0%9F%98%80'],
    ['"$&" is not a pattern of a replacement', '$&$1', '%24%26%241'],
    ['braces are not a placeholder', '{guid}', '%7Bguid%7D'],
  ])('percent-encodes the local name: %s', (_, localName, encoded) => {
    expect(target(`${BASE}{localName}`, localName)).toBe(BASE + encoded);
  });

  // WHATWG URL 4.4: clients remove "." and ".." and the segment before it, escaped or not.
  it.each([
    ['.', `${BASE}a/{localName}`],
    ['..', `${BASE}a/{localName}`],
    ['..', `${BASE}a/{localName}/b`],
    ['..', `${BASE}a/{localName}?b`],
    ['..', `${BASE}a/{localName}#b`],
  ])('rejects the local name "%s" as a segment of %s', (localName, template) => {
    const problem = problemOf(() => target(template, localName));
    expect(problem.code).toBe('INVALID_REQUEST');
    expect(problem.extensions.errors).toEqual([
      { pointer: '/localName', detail: expect.stringContaining('("." or "..")') },
    ]);
  });

  it.each([
    ['..', `${BASE}a/id-{localName}`, `${BASE}a/id-..`],
    ['..', `${BASE}a?id={localName}`, `${BASE}a?id=..`],
    ['...', `${BASE}a/{localName}`, `${BASE}a/...`],
    ['..a', `${BASE}a/{localName}`, `${BASE}a/..a`],
  ])('accepts the local name "%s" in %s', (localName, template, expected) => {
    expect(target(template, localName)).toBe(expected);
  });

  it('counts the encoded characters, and rejects one too many', () => {
    const longest = Math.floor((2048 - BASE.length) / 3);
    expect(target(`${BASE}{localName}`, '/'.repeat(longest))).toHaveLength(BASE.length + 3 * longest);
    const problem = problemOf(() => target(`${BASE}{localName}`, '/'.repeat(longest + 1)));
    expect(problem.code).toBe('INVALID_REQUEST');
    expect(problem.extensions.errors).toEqual([
      { pointer: '/localName', detail: expect.stringContaining(`of ${BASE.length + 3 * (longest + 1)} characters`) },
    ]);
  });
});
