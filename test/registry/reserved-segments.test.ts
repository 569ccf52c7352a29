import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { parseNewNamingAuthority } from '../../src/managing/naming-authority-command.js';
import { RESERVED_SEGMENTS, isReservedSegment } from '../../src/registry/naming-authority.js';

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

  it('leave the names that begin with them, and have the first segment of the resolver', () => {
    for (const namingAuthority of ['api.x', 'apis', 'x.api', 'hdl', 'v', 'v2.1', 'av2', '--']) {
      expect(parseNewNamingAuthority({ namingAuthority, profile: 'handle' }).prefix).toBe(namingAuthority);
    }
    const create = () => parseNewNamingAuthority({ namingAuthority: 'HDL', profile: 'handle' }, 'hdl');
    expect(create).toThrow(/RESERVED_NAMING_AUTHORITY/);
  });
});
