import type { Principal } from '../../access/principal.js';
import type { FindingService } from '../../finding/finding.service.js';
import type { Hint } from '../../finding/miss.js';
import { MAX_STORED_BYTES } from '../../registry/canonical-name.js';
import { nativeText } from '../../registry/identifier-record.js';
import type { HandleResolver, Resolution } from './handle-resolver.js';

/** Resolves texts that were sent with the form at `/`. */
export class PastedTexts {
  constructor(
    private readonly resolver: HandleResolver,
    private readonly finding: FindingService,
  ) {}

  /**
   * Resolves a text as a name or, if that fails, by a look-up.
   * @param ownHost the host by which the client reaches the service.
   */
  async resolve(text: string, ownHost: string, principal: Principal): Promise<Resolution> {
    const direct = await this.resolver.resolveText(text, principal);
    const isFound = direct.kind === 'active' || direct.kind === 'withdrawn';
    if (isFound || text.length > MAX_STORED_BYTES) return direct;
    const { record, candidates, reason } = await this.finding.findOne(text, ownHost, principal);
    const names = candidates ?? (record === null ? [] : [nativeText(record)]);
    const resolved = await Promise.all(names.map((name) => this.resolver.resolveText(name, principal)));
    // Reserved and deleted identifiers count as not registered.
    const shown = resolved.filter(({ kind }) => kind === 'active' || kind === 'withdrawn');
    const [first = resolved[0], second] = shown;
    if (second !== undefined) return { kind: 'several', handle: text, names: shown.map(({ handle }) => handle) };
    if (first !== undefined) return first;
    return reason === 'unknown' && direct.kind === 'malformed' ? { kind: 'unknown', handle: text } : direct;
  }

  /** The probable error in a name that is not registered; null for a text without a prefix of this registry. */
  hintFor(text: string, principal: Principal): Promise<Hint | null> {
    return this.finding.hintFor(text, principal);
  }
}
