import { Injectable } from '@nestjs/common';
import type { Principal } from '../access/principal.js';
import { type Context, type Uris, normalize, omittedOf, urisOf } from '@mintmark/identifier';
import { malformed } from '../problem/problem.js';
import type { NamingAuthoritySnapshot } from '../registry/naming-authority-snapshot.js';
import { requireClearEnd } from '../registry/parse-names.js';
import { NamingAuthorityReads } from '../storage/replica/reads.js';

/** A text, the form that it must have (any form if absent), and the rules for reading it. */
export interface NormalizeCommand {
  readonly input: string;
  readonly kind?: Parameters<typeof normalize>[1];
  /** The `Context` of `normalize`, whose member `profile` is named `syntax` here. */
  readonly context?: Omit<Context, 'profile'> & { readonly syntax?: Context['profile'] };
}

/** The URIs of an identifier, and the parts of the text that are not in them. */
export interface RenderedUris extends Uris {
  omitted?: ReturnType<typeof omittedOf>[number][];
}

export type NormalizeResult = ReturnType<typeof normalize>;

/** Normalizes texts by the rules of the naming authorities that the principal sees. Identifiers are not read. */
@Injectable()
export class NormalizationService {
  constructor(private readonly authorities: NamingAuthorityReads) {}

  /** @returns a result for each command, in order. Each result is computed when it is read. */
  async normalizeAll(commands: readonly NormalizeCommand[], principal: Principal): Promise<Iterable<NormalizeResult>> {
    const known = principal.viewOf(await this.authorities.current());
    return resultsOf(commands, known);
  }

  /**
   * Returns the URIs of an identifier in any form, registered or not, at the resolver of its naming authority if the principal sees it.
   * @throws Problem with a syntax code.
   */
  async uris(text: string, principal: Principal, pointer: string): Promise<RenderedUris> {
    const known = principal.viewOf(await this.authorities.current());
    requireClearEnd(text, known, pointer);
    const read = known.recognize(text);
    if (!read.ok) throw malformed(read.fault, pointer);
    const { name, parts } = read.value;
    const omitted = omittedOf(parts);
    return {
      ...urisOf(name, { resolver: known.resolverOf(name) }),
      ...(omitted.length > 0 && { omitted: [...omitted] }),
    };
  }
}

function* resultsOf(commands: readonly NormalizeCommand[], known: NamingAuthoritySnapshot): Generator<NormalizeResult> {
  for (const { input, kind, context } of commands)
    yield normalize(input, kind, known.contextOf(context && contextIn(context)));
}

function contextIn({ syntax, ...others }: NonNullable<NormalizeCommand['context']>): Context {
  return { ...others, profile: syntax };
}
