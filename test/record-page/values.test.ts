import { describe, expect, it } from '@jest/globals';
import { DEFAULT_RESOLVER, urisOf } from '@mintmark/identifier';
import { type PageEvent, type PageRecord, recordPage, withdrawnPage } from '../../src/record-page/index.js';
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
const tombstone = {
  ...{ withdrawnAt: new Date('2026-11-20T09:30:00Z'), reasonCode: 'duplicate' as const },
  ...{ reason: 'Deposited twice.', replacedBy: null },
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

describe('the values of a history', () => {
  const at = new Date('2026-11-20T09:30:00Z');
  const event = (
    version: number,
    patch: NonNullable<PageEvent['patch']> | null,
    kind: PageEvent['kind'] = 'changed',
  ) => ({
    ...{ version, kind, at, client: null, patch },
  });
  const [first, second] = ['https://a.example/1', 'https://a.example/2'];
  const to = (path: string, value: unknown) => [{ op: 'replace' as const, path, value }];
  const history = [
    event(5, to('/alternateIds', ['info:fedora/demo:7', 'info:fedora/demo:8'])),
    event(4, to('/target', null)),
    event(3, to('/target', second)),
    event(2, to('/metadataId', '<hdl:9/x>')),
    event(1, [{ op: 'add', path: '', value: { target: first, metadataId: null, alternateIds: [] } }], 'minted'),
  ];

  it('are old and new', () => {
    const text = textOf(recordPage(pageOf({}, { history }))).replaceAll(/\s+/g, ' ');
    for (const change of [
      ...[`Target from ${first} to ${second}`, `Target from ${second} to none`, 'Metadata ID from none to <hdl:9/x>'],
      'Alternate identifiers from none to info:fedora/demo:7, info:fedora/demo:8',
    ]) {
      expect(text).toContain(change);
    }
  });

  it('are new alone where the change before is not known, or is large', () => {
    const text = (events: PageEvent[]) => textOf(recordPage(pageOf({}, { history: events })));
    expect(text([event(9, to('/target', second))])).toContain(`ChangedTarget to ${second}`);
    expect(text([event(3, to('/target', second)), event(2, null), event(1, to('/target', first))])).toContain(
      `ChangedTarget to ${second}`,
    );
  });

  it('are not shown of a withdrawn record, whose former target is not shown', () => {
    const page = withdrawnPage(pageOf({ state: 'withdrawn', tombstone, target: second }, { history }));
    expect(page).not.toContain(first);
    expect(page).not.toContain(second);
  });

  it('are shortened', () => {
    const page = recordPage(
      pageOf({}, { history: [event(2, to('/target', `https://a.example/${'x'.repeat(2000)}`))] }),
    );
    expect(page).toContain(`${'x'.repeat(282)}…`);
    expect(page).not.toContain('x'.repeat(283));
  });
});
