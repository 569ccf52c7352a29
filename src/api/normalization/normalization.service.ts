import { Inject, Injectable } from '@nestjs/common';
import type { Principal } from '../../access/principal.js';
import { type Resolver, normalize, omittedOf, urisOf } from '../../identifier/index.js';
import { malformed } from '../../problem/problem.js';
import { NamingAuthorityReads } from '../../storage/replica/naming-authority-reads.js';
import type { RenderedUrisDto } from './normalize-response.dto.js';
import { DEFAULT_HTTP_RESOLVER } from '../../registry/default-resolver.module.js';

/** A text, the form that it must have (any when absent), and the rules for it. */
export interface NormalizeCommand {
  readonly input: string;
  readonly kind?: Parameters<typeof normalize>[1];
  readonly context?: Parameters<typeof normalize>[2];
}

export type NormalizeResult = ReturnType<typeof normalize>;

/** Normalizes texts without reading the registry. */
@Injectable()
export class NormalizationService {
  constructor(
    @Inject(DEFAULT_HTTP_RESOLVER) private readonly resolver: Resolver,
    private readonly authorities: NamingAuthorityReads,
  ) {}

  /** @yields a result for each command, in order, made when it is read. */
  *normalizeAll(commands: readonly NormalizeCommand[]): Generator<NormalizeResult> {
    for (const { input, kind, context } of commands) {
      const resolver = context?.resolver ?? this.resolver;
      yield normalize(input, kind, { ...context, resolver });
    }
  }

  /**
   * Renders an identifier in any form, also an unregistered one, with its resolver if that is visible.
   * @param pointer where the request has it.
   * @throws Problem with a syntax code.
   */
  async uris(text: string, principal: Principal, pointer: string): Promise<RenderedUrisDto> {
    const known = principal.viewOf(await this.authorities.current());
    const read = known.recognize(text);
    if (!read.ok) throw malformed(read.fault, pointer);
    const { name, parts } = read.value;
    const omitted = omittedOf(parts);
    return { ...urisOf(name, known.resolverOf(name)), ...(omitted.length > 0 && { omitted: [...omitted] }) };
  }
}
