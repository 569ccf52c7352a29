import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { toResolver } from '@mintmark/identifier';
import {
  parseNewNamingAuthority,
  requireNoSegment,
  requireReadableUrls,
} from '../../src/managing/naming-authority-command.js';
import { NamingAuthoritySnapshot } from '../../src/registry/naming-authority-snapshot.js';
import { RESERVED_SEGMENTS, isReservedSegment } from '../../src/registry/naming-authority.js';
import { authorityWith } from '../records.js';

const { paths } = JSON.parse(readFileSync(new URL('../../openapi/openapi.json', import.meta.url), 'utf8')) as {
  paths: Record<string, object>;
};

describe('the reserved first segments', () => {
  it('are those of every path of the REST API and of its documents', () => {
    const first = Object.keys(paths).map((path) => path.split('/')[1] ?? '');
    expect(first.length).toBeGreaterThan(20);
    const documents = ['openapi.json', 'openapi.yaml', 'docs', 'problems'];
    expect([...first, ...documents].filter((segment) => !isReservedSegment(segment))).toEqual([]);
  });

  it('are those of the interfaces that are planned', () => {
    const planned =
      'api hrls hdlresolver objects shoulder id ui static docs .well-known - v1 v2 V10 runs exports'.split(' ');
    expect(planned.filter((segment) => !isReservedSegment(segment))).toEqual([]);
  });

  // ".well-known" has an empty segment, and so is no prefix in any case (HUS-07).
  it.each(
    [...RESERVED_SEGMENTS, 'API', 'Identifiers', 'v2', 'V10', 'Runs'].filter((segment) => !segment.startsWith('.')),
  )('%s is no naming authority', (namingAuthority) => {
    expect(() => parseNewNamingAuthority({ namingAuthority, profile: 'handle' })).toThrow(/RESERVED_NAMING_AUTHORITY/);
  });

  it('leave the names that begin with them', () => {
    for (const namingAuthority of ['api.x', 'apis', 'x.api', 'hdl', 'v', 'v2.1', 'av2', '--']) {
      expect(parseNewNamingAuthority({ namingAuthority, profile: 'handle' }).prefix).toBe(namingAuthority);
    }
  });
});

describe('the first segment of a resolver', () => {
  const at = (authority: string, firstSegment: string) => toResolver({ scheme: 'https', authority, firstSegment });
  const known = new NamingAuthoritySnapshot(
    [
      authorityWith({ prefix: '20.8', profile: 'handle', resolver: at('here.example', 'r%2Ft') }),
      authorityWith({ prefix: '20.9', profile: 'handle', resolver: at('elsewhere.example', '20.10') }),
    ],
    at('here.example', 'hdl'),
  );

  it.each(['hdl', 'HDL', 'r', 'R'])('%s is no prefix', (prefix) => {
    expect(() => {
      requireNoSegment(prefix, known);
    }).toThrow(/^RESERVED_NAMING_AUTHORITY/);
  });

  it.each(['hd', 'hdl.1', 'r.t', '20.8', '20.10'])('leaves the prefix %s', (prefix) => {
    expect(() => {
      requireNoSegment(prefix, known);
    }).not.toThrow();
  });

  it.each([
    ['here.example', '20.8', /\/resolver\/firstSegment: is the prefix of the naming authority "20.8"/],
    ['here.example', '20%2E8%2Fx', /is the prefix of the naming authority "20.8"/],
    ['here.example', 'ARK', /is the prefix of the naming authority "Ark"/],
    ['here.example', 'API', /\/resolver\/firstSegment: is the first segment of paths of this service/],
    ['here.example', 'api%2Fx', /is the first segment of paths of this service/],
  ])('at %s is not %s', (host, segment, rejection) => {
    expect(() => {
      requireReadableUrls(at(host, segment), 'Ark', known);
    }).toThrow(rejection);
  });

  it.each([
    ['elsewhere.example', 'api'],
    ['elsewhere.example', '20.8'],
    ['here.example', 'hdl'],
    ['here.example', '20.8.1'],
  ])('at %s can be %s', (host, segment) => {
    expect(() => {
      requireReadableUrls(at(host, segment), 'Ark', known);
    }).not.toThrow();
  });
});
