import type { Recognition } from '@mintmark/identifier';

/**
 * Schemes before a Handle, and namespaces of `info:` URIs of Handles. `info:doi/` is read only here, in paths and in texts around names,
 * because it is no form of a Handle (HUS-01). Any other new one also needs a parser in `recognize-uri.ts` of `@mintmark/identifier`.
 */
const HANDLE_URI_START = /(?:hdl|doi):|info:(?:hdl|doi)\//iy;

/**
 * Schemes of URIs and of other identifiers that people send as metadata IDs, in lower case. Each can also be a namespace of Fedora PIDs
 * (FED-03). Schemes that name no objects are not listed, because repositories have namespaces such as `content` and `resource`.
 */
const OF_OTHERS: ReadonlySet<string> = new Set([
  ...[
    'ark',
    'arxiv',
    'bibcode',
    'cid',
    'cstr',
    'data',
    'did',
    'doi',
    'file',
    'ftp',
    'geo',
    'gnd',
    'hdl',
    'http',
    'https',
    'igsn',
  ],
  ...[
    'info',
    'ipfs',
    'isan',
    'isbn',
    'ismn',
    'isni',
    'isrc',
    'issn',
    'istc',
    'iswc',
    'lccn',
    'lsid',
    'magnet',
    'mailto',
    'mid',
    'nbn',
  ],
  ...[
    'ni',
    'oai',
    'oclc',
    'orcid',
    'pmcid',
    'pmid',
    'purl',
    'ror',
    'rrid',
    'swh',
    'swhid',
    'tag',
    'tel',
    'urn',
    'viaf',
    'wikidata',
  ],
]);

/** The length of `hdl:`, `doi:`, `info:hdl/` or `info:doi/`, in any case, at an index of a text; 0 for none. */
export function handleUriStart(text: string, index = 0): number {
  HANDLE_URI_START.lastIndex = index;
  return HANDLE_URI_START.exec(text)?.[0].length ?? 0;
}

/**
 * Rejects a text such as `isbn:9780000000000`, which has the syntax of a Fedora PID but means something else. Written as `info:fedora/…`,
 * it is accepted as a PID.
 */
export function withoutOtherSchemes(text: string, read: Recognition): Recognition {
  if (!read.ok || read.value.name.type !== 'fedora-pid' || read.value.kind !== 'fedora-pid') return read;
  const { namespaceId } = read.value.name;
  if (!OF_OTHERS.has(namespaceId.toLowerCase())) return read;
  const detail = `"${namespaceId}:" is the start of another kind of identifier; a Fedora PID of this namespace is written as info:fedora/${read.value.normalized}`;
  const fault = { code: 'WRONG_SCHEME', detail, offset: text.length - text.trimStart().length, rule: 'R-28' } as const;
  return { ok: false, fault, kind: 'fedora-pid' };
}
