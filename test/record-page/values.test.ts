import { describe, expect, it } from '@jest/globals';
import { DEFAULT_RESOLVER, urisOf } from '@mintmark/identifier';
import { type PageRecord, recordPage } from '../../src/record-page/index.js';
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

/** The main part of a page without tags, decoded once. */
function textOf(page: string): string {
  const main = /<main>([\s\S]*)<\/main>/.exec(page)?.[1] ?? '';
  const entities: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" };
  return main.replace(/<[^>]*>/g, '').replace(/&(amp|lt|gt|quot|#39);/g, (_, name: string) => entities[name] ?? '');
}

describe('a record for which no resolver is configured', () => {
  const members = { metadataId: 'hdl:2000.01/A3D8BE7457C943FFB66ED4583059A8BA' };
  const page = recordPage(pageOf(members, { isPublic: false }));

  it('has no citation and no web address, and says so', () => {
    expect(page).not.toContain('hdl.handle.net');
    expect(page).not.toContain('<cite>');
    expect(textOf(page)).toMatch(/Web addressNot yet public/);
    expect(textOf(page)).toContain('Not yet public: the operator of this service has not set the resolver');
  });

  it('has its other forms, and its target as a link', () => {
    expect(textOf(page)).toContain(`hdl:100.102/${GUID}`);
    expect(textOf(page)).toContain(`info:hdl/100.102/${GUID}`);
    expect(textOf(page)).toContain('2000.01/A3D8BE7457C943FFB66ED4583059A8BA');
  });
});
