import { Inject, Injectable } from '@nestjs/common';
import type { Caller } from '../access/caller.js';
import { type Resolver, normalize, urisOf } from '../identifier/index.js';
import { malformed } from '../problem/problem.js';
import { NamingAuthorities } from '../record/naming-authorities.js';
import { RESOLVER } from '../record/rendering.module.js';
import type { UrisDto } from '../record/identifier.dto.js';
import type { InvalidItemDto, ValidItemDto } from './normalize-answer.dto.js';
import type { NormalizeItemDto } from './normalize-request.dto.js';

/** Shows what the syntax core knows about a text; nothing here looks at which identifiers are registered. */
@Injectable()
export class NormalizationService {
  constructor(
    @Inject(RESOLVER) private readonly resolver: Resolver,
    private readonly authorities: NamingAuthorities,
  ) {}

  normalize({ input, kind, context }: NormalizeItemDto): ValidItemDto | InvalidItemDto {
    const found = normalize(input, kind, { ...context, resolver: context?.resolver ?? this.resolver });
    if (!found.valid) return { input, kind: found.kind, valid: false, error: found.fault };
    const { normalized, parts, uris, unavailable, equal, repairs } = found;
    const item = {
      input,
      kind: found.kind,
      valid: true as const,
      normalized,
      parts: parts as ValidItemDto['parts'],
      uris,
      unavailable: { ...unavailable },
      repairs: [...repairs],
    };
    return equal === undefined ? item : { ...item, equal };
  }

  /**
   * The URIs at the resolver of its naming authority, or at the configured one where the caller does not see it.
   * @param text an identifier in any spelling; it need not be registered.
   * @throws Problem with a syntax code when it is malformed.
   */
  async uris(text: string, caller: Caller): Promise<UrisDto> {
    const known = await this.authorities.current();
    const read = known.recognize(text);
    if (!read.ok) throw malformed(read.fault, '#path/identifier');
    const { name } = read.value;
    const isSeen = 'namingAuthority' in name && caller.sees(name.namingAuthority);
    return urisOf(name, isSeen ? known.resolverOf(name) : this.resolver);
  }
}
