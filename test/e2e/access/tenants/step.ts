import fc from 'fast-check';
import type { Tenant } from './tenant.js';

/** A step of a tenant; numbers select among the data at that time. */
export interface Step {
  readonly tenant: number;
  readonly kind: (typeof KINDS)[number];
  /** The tenant whose data it is about. */
  readonly whose: number;
  readonly pick: number;
  /** Idempotency keys and names that all tenants share. */
  readonly key: number | null;
  readonly name: number;
}

/** The kinds of steps, each of one or two requests. */
export const KINDS = [
  ...(['mint', 'mint', 'mint', 'mintAtOnce', 'mintFor', 'describe', 'registerSame', 'batch', 'batchCount'] as const),
  ...(['bulk', 'import', 'reserve', 'reservation', 'activateReservation', 'releaseReservation'] as const),
  ...(['get', 'getByUri', 'history', 'list', 'export', 'exportCsv', 'lookup', 'events'] as const),
  ...(['authorities', 'authority', 'authorityHistory', 'createAuthority', 'suspendAuthority'] as const),
  ...(['patch', 'activate', 'withdraw', 'replace', 'reinstate', 'keys', 'metrics'] as const),
] as const;

export const anyStep: fc.Arbitrary<Step> = fc.record({
  tenant: fc.nat(2),
  kind: fc.constantFrom(...KINDS),
  whose: fc.nat(2),
  pick: fc.nat(1000),
  key: fc.option(fc.nat(2)),
  name: fc.nat(3),
});

/** A filter of lists and exports: shared, own or foreign. */
export function filterOf({ pick, name }: Step, whose: Tenant, metadataId: string | undefined): string {
  const filters: Record<string, string>[] = [
    {},
    { namingAuthority: whose.prefixes[0] ?? '' },
    { metadataId: sharedName(name) },
    { alternateId: sharedName(name) },
    { target: sharedTarget(name) },
    { target: `https://${whose.word}.example.org/` },
    { state: ['active', 'reserved', 'withdrawn'][name % 3] ?? '' },
    { createdFrom: '2020-01-01T00:00:00Z' },
    ...(metadataId === undefined ? [] : [{ metadataId }]),
  ];
  return new URLSearchParams(filters[pick % filters.length]).toString();
}

export const sharedName = (name: number): string => `hdl:20.500/shared-${name}`;
export const sharedTarget = (name: number): string => `https://shared.example.org/${name}`;
