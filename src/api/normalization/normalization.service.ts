import { Inject, Injectable } from '@nestjs/common';
import type { Principal } from '../../access/principal.js';
import { type Resolver, normalize, urisOf } from '../../identifier/index.js';
import { malformed } from '../../problem/problem.js';
import { NamingAuthorityCache } from '../../storage/naming-authorities/naming-authority-cache.js';
import { DEFAULT_HTTP_RESOLVER } from '../../registry/default-resolver.module.js';
import type { UrisDto } from '../representation/identifier.dto.js';
import type { InvalidItemDto, ValidItemDto } from './normalize-response.dto.js';
import type { NormalizeItemDto } from './normalize-request.dto.js';

/** Normalizes texts without reading the registry. */
@Injectable()
export class NormalizationService {
  constructor(
    @Inject(DEFAULT_HTTP_RESOLVER) private readonly resolver: Resolver,
    private readonly authorities: NamingAuthorityCache,
  ) {}

  /** @returns a lazy result for each item, in order. */
  *normalizeAll(items: readonly NormalizeItemDto[]): Generator<ValidItemDto | InvalidItemDto> {
    for (const item of items) yield this.normalize(item);
  }

  private normalize({ input, kind, context }: NormalizeItemDto): ValidItemDto | InvalidItemDto {
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
   * Renders an identifier in any form, registered or not, with the resolver of its naming authority if that is visible.
   * @throws Problem with a syntax code.
   */
  async uris(text: string, principal: Principal): Promise<UrisDto> {
    const known = principal.viewOf(await this.authorities.current());
    const read = known.recognize(text);
    if (!read.ok) throw malformed(read.fault, '#path/identifier');
    const { name } = read.value;
    return urisOf(name, known.resolverOf(name));
  }
}
