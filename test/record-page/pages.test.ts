import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { DEFAULT_RESOLVER, parseHandle, urisOf } from '@mintmark/identifier';
import {
  PAGE_CONTENT_SECURITY_POLICY,
  type PageRecord,
  badRequestPage,
  choicePage,
  formPage,
  frontPage,
  hintsFor,
  recordPage,
  redirectPage,
  unknownNamePage,
  withdrawnPage,
} from '../../src/record-page/index.js';
import { type IdentifierRecord, identifierOf } from '../../src/registry/identifier-record.js';
import { GUID, recordWith } from '../records.js';

const pageOf = (members: Partial<IdentifierRecord> = {}, more: Partial<PageRecord> = {}): PageRecord => {
  const record = recordWith(members);
  return {
    record,
    uris: urisOf(identifierOf(record), { resolver: DEFAULT_RESOLVER }),
    values: null,
    history: null,
    ...more,
  };
};
const handle = (localName: string) => ({ namingAuthority: '20.500', localName, guid: null });
const tombstone = {
  ...{ withdrawnAt: new Date('2026-11-20T09:30:00Z'), reasonCode: 'duplicate' as const },
  ...{ reason: 'Deposited twice.', replacedBy: null },
};

/** The names of tags in a page, each once. A name of a record never adds one. */
const tagsIn = (page: string) => [...new Set([...page.matchAll(/<([a-z][a-z0-9]*)/gi)].map(([, tag]) => tag))].sort();

/** The main part of a page without tags, decoded once. */
function textOf(page: string): string {
  const main = /<main>([\s\S]*)<\/main>/.exec(page)?.[1] ?? '';
  const entities: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" };
  return main.replace(/<[^>]*>/g, '').replace(/&(amp|lt|gt|quot|#39);/g, (_, name: string) => entities[name] ?? '');
}

const HOSTILE: [string, string][] = [
  ['an element with a script', '<script>alert(1)</script>'],
  ['an image with an event handler', '<img src=x onerror=alert(1)>'],
  ['the end of an attribute', '" autofocus onfocus="alert(1)'],
  ['the end of an attribute with an apostrophe', "' onmouseover='alert(1)"],
  ['the end of the title', '</title><script>alert(1)</script>'],
  ['the end of a comment', '--><script>alert(1)</script>'],
  ['a character reference', '&lt;script&gt;&#60;b&#62;'],
  ['a template of JavaScript', '${alert(1)}`'],
];

describe('a hostile name', () => {
  const plain = tagsIn(recordPage(pageOf(handle('x'))));

  it.each(HOSTILE)('%s: is shown as it is, and adds no element to any page', (_, name) => {
    const page = recordPage(pageOf(handle(name)));
    expect(tagsIn(page)).toEqual(plain);
    expect(textOf(page)).toContain(`20.500/${name}`);
    for (const other of [
      unknownNamePage(name, hintsFor(name)),
      badRequestPage(name, name),
      withdrawnPage(pageOf({ ...handle(name), state: 'withdrawn', tombstone: { ...tombstone, reason: name } })),
    ]) {
      expect(other).not.toContain(name.includes('<') ? name : 'onfocus="');
      expect(textOf(other)).toContain(name);
    }
  });

  it.each([
    ['a right-to-left override', '\u202E', 'U+202E'],
    ['an isolate', '\u2066', 'U+2066'],
    ['an Arabic letter mark', '\u061C', 'U+061C'],
    ['a zero width space', '\u200B', 'U+200B'],
    ['U+0000', '\0', 'U+0000'],
    ['a line break', '\n', 'U+000A'],
    ['a line separator', '\u2028', 'U+2028'],
    ['a byte order mark', '\uFEFF', 'U+FEFF'],
    ['a high surrogate alone', '\uD83D', 'U+D83D'],
    ['a low surrogate alone', '\uDE00', 'U+DE00'],
    ['a noncharacter', '\uFFFF', 'U+FFFF'],
    ['a no-break space', '\u00A0', 'U+00A0'],
    ['a tag character', '\u{E0041}', 'U+E0041'],
    ['a Hangul filler', '\u3164', 'U+3164'],
    ['an initial Hangul filler', '\u115F', 'U+115F'],
    ['a medial Hangul filler', '\u1160', 'U+1160'],
    ['a halfwidth Hangul filler', '\uFFA0', 'U+FFA0'],
  ])('R-29: %s is shown as its code point, in the title too, and does not occur itself', (_, character, code) => {
    for (const page of [unknownNamePage(`100.102/a${character}b`, []), badRequestPage(`1/${character}`, character)]) {
      expect(page.replace(/\n/g, '')).not.toContain(character === '\n' ? 'a\nb' : character);
      expect(page).toContain(`<span class="hidden-character">${code}</span>`);
    }
    const title = `<title>1/a[${code}]b[${code}] cannot be found`;
    expect(unknownNamePage(`1/a${character}b${character}`, [])).toContain(title);
  });

  it('letters from right to left are isolated, in the order of the characters', () => {
    expect(recordPage(pageOf(handle('אבג')))).toContain('<h1><bdi dir="ltr">20.500/אבג</bdi></h1>');
  });

  it('characters beyond UCS-2 stay whole', () => {
    expect(unknownNamePage('1/\u{1F600}', [])).toContain('1/\u{1F600}');
  });

  it('of every Handle of the vectors is shown, and adds no element', () => {
    const { vectors } = JSON.parse(readFileSync(new URL('../vectors/public.json', import.meta.url), 'utf8'));
    const handles = vectors.flatMap(({ kind, input }: { kind: string; input: string }) => {
      const read = parseHandle(input, { charset: 'unicode' });
      return kind === 'handle' && read.ok ? [read.value] : [];
    });
    expect(handles.length).toBeGreaterThan(10);
    for (const { namingAuthority, localName } of handles) {
      const page = recordPage(pageOf({ namingAuthority, localName, guid: null }));
      expect(tagsIn(page).filter((tag) => !plain.includes(tag) && tag !== 'bdi')).toEqual([]);
      if (/^[ -~]*$/.test(localName)) expect(textOf(page)).toContain(`${namingAuthority}/${localName}`);
    }
  });
});

describe('a link', () => {
  it.each([
    'javascript:alert(1)',
    'data:text/html,x',
    'JaVaScRiPt:alert(1)//http://',
    '//example.org',
    'ftp://example.org/',
  ])('never leads to %s', (target) => {
    const values = [{ index: 1, type: 'URL', data: target, ttl: 1, timestamp: '2026-11-20T09:30:00Z' }];
    const page = recordPage(pageOf({ target }, { values, history: [], historyUrl: target }));
    expect([...page.matchAll(/href="([^"]*)"/g)].filter(([, href]) => !/^https?:\/\//.test(href ?? ''))).toEqual([]);
    expect(redirectPage(target)).not.toContain('<a ');
    expect(textOf(page)).toContain(target);
  });

  it('leads to the target and to the metadata record at the resolver of the identifier', () => {
    const page = recordPage(pageOf({ target: 'https://repo.example.org/7?a=1&b=2', metadataId: 'hdl:1234/a/b' }));
    expect(page).toContain('<a href="https://repo.example.org/7?a=1&amp;b=2"');
    expect(page).toContain('<a href="http://hdl.handle.net/1234/a%2Fb"');
  });

  it('is absent for a metadata ID that no resolver knows', () => {
    const page = recordPage(pageOf({ metadataId: 'info:fedora/demo:7' }));
    expect(page).toContain('<td role="cell">info:fedora/demo:7</td>');
  });
});

describe('the page of a record', () => {
  it('has every URI form, each with a button that copies it', () => {
    const page = recordPage(pageOf());
    const native = `100.102/${GUID}`;
    const copied = [...page.matchAll(/data-copy="([^"]*)"/g)].map(([, text]) => text);
    expect(copied).toEqual([
      native,
      `http://hdl.handle.net/${native}`,
      `hdl:${native}`,
      `hdl://${native}`,
      `hdl:${native}`,
      `info:hdl/${native}`,
      `${native}. Registered 1970-01-01. http://hdl.handle.net/${native}`,
    ]);
  });

  it('R-07: leaves out a form that cannot express the identifier', () => {
    expect(recordPage(pageOf({ namingAuthority: '190.12.34.56' }))).not.toContain('hdl://');
  });

  it.each([
    ['Active', { target: 'https://repo.example.org/7' }, true],
    ['Active, without a target', {}, true],
    [
      'Reserved until 01 Dec 2026, 00:00 UTC',
      { state: 'reserved', leaseUntil: new Date('2026-12-01T00:00:00Z') },
      false,
    ],
  ] as const)('states "%s", and only active identifiers are for search engines', (words, members, isIndexed) => {
    const page = recordPage(pageOf(members));
    expect(textOf(page)).toContain(words);
    expect(page.includes('<meta name="robots" content="noindex">')).toBe(!isIndexed);
  });

  it('shows the history only if it is given, and clients only if they are given', () => {
    const at = new Date('2026-11-20T09:30:00Z');
    const event = { version: 1, kind: 'minted', at, client: null } as const;
    expect(recordPage(pageOf())).not.toContain('History');
    const anonymous = textOf(recordPage(pageOf({}, { history: [event] })));
    expect(anonymous).toContain('Minted');
    expect(anonymous).not.toContain('By');
    const named = textOf(recordPage(pageOf({}, { history: [{ ...event, client: '<b>library' }, event] })));
    expect(named).toMatch(/By[^]*<b>library[^]*Unknown/);
  });

  it('has the changes in words, and a link to the whole history where it has a URL', () => {
    const kinds = ['lapsed', 'released', 'reserved'] as const;
    const history = kinds.map((kind, index) => ({ version: 3 - index, kind, at: new Date(0), client: null }));
    const text = textOf(recordPage(pageOf({}, { history })));
    expect(text).toMatch(/All changes, newest first[^]*Reservation ended[^]*Reservation released[^]*Reserved/);
    expect(text).not.toContain('The whole history');
    const page = recordPage(pageOf({}, { history, historyUrl: '/identifiers/1/2/history' }));
    expect(page).toContain('<a href="/identifiers/1/2/history">The whole history');
  });

  it('says that the history is longer than what is shown', () => {
    const at = new Date(0);
    const history = [9, 8].map((version) => ({ version, kind: 'changed', at, client: null }) as const);
    expect(textOf(recordPage(pageOf({ version: 9 }, { history })))).toContain('The last 2 changes');
  });

  it('lists 20 of many alternate identifiers, each with at most 1,024 characters', () => {
    const alternateIds = Array.from({ length: 100 }, (_, n) => `hdl:1234/${n}-`.padEnd(8000, 'é'));
    const page = recordPage(pageOf({ alternateIds }));
    expect(textOf(page)).toContain('and 80 more');
    expect(page.length).toBeLessThan(60_000);
  });

  it('shows and links DOIs among the alternate identifiers as URLs of doi.org', () => {
    const alternateIds = [
      'hdl:10.1000/182',
      'hdl:10.5072/a/b%20c',
      'hdl:10.1000/..',
      'hdl:20.1000/5',
      'hdl:1000/10.1/x',
    ];
    const page = recordPage(pageOf({ alternateIds }));
    expect(page).toContain('<a href="https://doi.org/10.1000/182" rel="noreferrer">https://doi.org/10.1000/182</a>');
    expect(page).toContain(
      '<a href="https://doi.org/10.5072/a%2Fb%20c" rel="noreferrer">https://doi.org/10.5072/a/b%20c</a>',
    );
    expect(page).toContain('<li>https://doi.org/10.1000/..</li>');
    expect(page).toContain('<a href="http://hdl.handle.net/20.1000/5" rel="noreferrer">hdl:20.1000/5</a>');
    expect(page).toContain('>hdl:1000/10.1/x</a>');
  });

  it('RFC 6596: names its URL for search engines while it is active', () => {
    const canonicalUrl = '/20.500/a"b?noredirect';
    const canonical = '<link rel="canonical" href="/20.500/a&quot;b?noredirect">';
    expect(recordPage(pageOf({}, { canonicalUrl }))).toContain(canonical);
    expect(recordPage(pageOf())).not.toContain('rel="canonical"');
    expect(recordPage(pageOf({ state: 'reserved' }, { canonicalUrl }))).not.toContain('rel="canonical"');
    expect(withdrawnPage(pageOf({ state: 'withdrawn', tombstone }, { canonicalUrl }))).not.toContain('rel="canonical"');
  });

  it('shows each of the values, with its time to live', () => {
    const timestamp = '2026-11-20T09:30:00Z';
    const values = [
      { index: 1, type: 'URL', data: 'https://a.example/', ttl: 86_400, timestamp },
      { index: 700, type: 'desc', data: 'text', ttl: 60, timestamp },
    ];
    const text = textOf(recordPage(pageOf({}, { values })));
    expect(text).toMatch(/1URLhttps:\/\/a\.example\/86400 s2026-11-20T09:30:00Z\s+700desctext60 s/);
  });

  it('says that there are no values where none is left', () => {
    expect(textOf(recordPage(pageOf({}, { values: [] })))).toContain('No Values Found');
  });
});

describe('the page of a withdrawn identifier', () => {
  const withdrawn = (replacedBy: string | null) =>
    withdrawnPage(
      pageOf({ state: 'withdrawn', target: 'https://repo.example.org/7', tombstone: { ...tombstone, replacedBy } }),
    );

  it('has the reason, the time and the replacement as a link, but not the former target', () => {
    const page = withdrawn(`100.102/${'0'.repeat(32)}`);
    expect(textOf(page)).toMatch(
      /Withdrawn on 20 Nov 2026, 09:30 UTC[^]*Kind of reason: duplicate of another object\s+Reason: Deposited twice\./,
    );
    expect(page).toContain(`Use instead: <a href="http://hdl.handle.net/100.102/${'0'.repeat(32)}"`);
    expect(page).not.toContain('repo.example.org');
    expect(page).toContain('<meta name="robots" content="noindex">');
  });

  it('offers no citation, and the names by which it was cited', () => {
    const text = textOf(withdrawn(null));
    expect(text).not.toMatch(/Citation|Registered 1 January 1970/);
    expect(text).toContain(`http://hdl.handle.net/100.102/${GUID}`);
    expect(textOf(recordPage(pageOf()))).toContain('Citation');
  });

  it('shows the history if it is given', () => {
    const record = { state: 'withdrawn', tombstone } as const;
    const history = [{ version: 1, kind: 'minted', at: new Date(0), client: null }] as const;
    expect(textOf(withdrawnPage(pageOf(record, { history })))).toMatch(/History[^]*Minted/);
    expect(textOf(withdrawnPage(pageOf(record)))).not.toContain('History');
  });

  it('shows a replacement without a web address as text', () => {
    expect(withdrawn('info:fedora/demo:8')).toContain('<p>Use instead: info:fedora/demo:8</p>');
    expect(textOf(withdrawn(null))).toContain('No replacement is known.');
  });
});

describe('the page of a text that several names match', () => {
  it('links to each of them, and is not indexed', () => {
    const names = ['1/a', '1/b&c'].map((name) => ({ name, url: `/identifiers/${encodeURI(name)}` }));
    const page = choicePage('a or <b>', names);
    expect(page).toContain('<code>a or &lt;b&gt;</code>');
    expect(page).toContain(
      '<li><a href="/identifiers/1/a">1/a</a></li>\n<li><a href="/identifiers/1/b&amp;c">1/b&amp;c</a></li>',
    );
    expect(page).toContain('<meta name="robots" content="noindex">');
  });
});

describe('the page of an unknown name', () => {
  it('has the sentence that clients of the Handle proxy look for', () => {
    expect(unknownNamePage('100.102/x&y', [])).toContain(
      'The handle you requested -- 100.102/x&amp;y -- cannot be found',
    );
  });

  it('links to the nearest name', () => {
    const nearest = { name: '100.102/x<y', url: '/identifiers/100.102/x%3Cy' };
    expect(unknownNamePage('100.102/x<', ['Check it.'], nearest)).toContain(
      '<p>Is this name meant? <a href="/identifiers/100.102/x%3Cy">100.102/x&lt;y</a></p>',
    );
  });

  it('repeats at most 1,024 characters of the name', () => {
    expect(unknownNamePage('1/'.padEnd(48_000, 'x'), []).length).toBeLessThan(12_000);
  });

  it.each([
    ['1/a/', /ends with a slash/],
    ['1/a.', /punctuation mark/],
    ['1/a \nb', /^(?!.*outside ASCII).*white space/s],
    ['1/a–b', /outside ASCII/],
  ])('of %j says what to check', (name, hint) => {
    expect(hintsFor(name).join('\n')).toMatch(hint);
    expect(hintsFor(`100.102/${GUID}`).join('\n')).not.toMatch(hint);
  });
});

describe('the Content-Security-Policy', () => {
  const sources = PAGE_CONTENT_SECURITY_POLICY.split('; ');

  it('permits nothing but the styles and the script of the pages', () => {
    expect(sources).toContain("default-src 'none'");
    expect(sources).toContain("frame-ancestors 'none'");
    expect(sources).toContain("img-src 'self'");
    expect(PAGE_CONTENT_SECURITY_POLICY.replace("img-src 'self'", '')).not.toMatch(/unsafe|\*|'self'/);
    for (const page of [
      recordPage(pageOf()),
      unknownNamePage('1/x', []),
      formPage(),
      frontPage('http://localhost:3000', true),
      redirectPage('https://example.org/'),
    ]) {
      const inline = [...page.matchAll(/<(script|style)>([\s\S]*?)<\/\1>/g)];
      expect(inline.length).toBeGreaterThan(0);
      for (const [, kind, text = ''] of inline) {
        const digest = `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
        expect(sources.find((source) => source.startsWith(`${kind}-src`))).toContain(digest);
      }
      expect(page).not.toMatch(/ (?:style|on[a-z]+)=/);
    }
  });
});

describe('the other names of a record', () => {
  const linksOf = (page: string) =>
    [...page.matchAll(/<a href="([^"]*)"[^>]*>([^<]*)<\/a>/g)].map(([, href, text]) => [href, text]);
  const resolver = 'http://hdl.handle.net';

  it('are links: the previous version, the newer ones, what it describes and other names', () => {
    const members = {
      ...{ previousVersion: `100.102/${'1'.repeat(32)}`, newerVersions: [`100.102/${'2'.repeat(32)}`, '20.500/v3'] },
      ...{ describes: [`100.102/${'3'.repeat(32)}`, '20.500/d2'], alternateIds: ['hdl:20.1000/5'] },
    };
    const page = recordPage(pageOf(members));
    const links = linksOf(page);
    expect(links).toEqual(
      expect.arrayContaining([
        [`${resolver}/${members.previousVersion}`, members.previousVersion],
        [`${resolver}/${members.newerVersions[0]}`, members.newerVersions[0]],
        [`${resolver}/${members.describes[0]}`, members.describes[0]],
        [`${resolver}/20.500/v3`, '20.500/v3'],
        [`${resolver}/20.500/d2`, '20.500/d2'],
        [`${resolver}/20.1000/5`, 'hdl:20.1000/5'],
      ]),
    );
    expect(textOf(page)).toMatch(/Previous version.*Newer versions/s);
  });

  it('are texts where an opaque metadata ID is no URL, and links where it is one', () => {
    const show = (metadataId: string) => recordPage(pageOf({ metadataId }, { metadataIdScheme: 'any' }));
    expect(linksOf(show('hdl:9.9/x')).map(([, text]) => text)).not.toContain('hdl:9.9/x');
    expect(textOf(show('hdl:9.9/x'))).toContain('hdl:9.9/x');
    expect(linksOf(show('https://repo.example.org/7'))).toContainEqual([
      'https://repo.example.org/7',
      'https://repo.example.org/7',
    ]);
    expect(linksOf(show('javascript:alert(1)')).map(([, text]) => text)).not.toContain('javascript:alert(1)');
  });
});
