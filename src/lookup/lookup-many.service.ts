import { Injectable } from '@nestjs/common';
import type { Caller } from '../access/caller.js';
import { visibleTo } from '../access/visible.js';
import type { SyntaxCode, SyntaxFault } from '../identifier/index.js';
import { Problem } from '../problem/problem.js';
import { FindAny, type Match, type WantedName } from '../record/find-any.js';
import { IdentifierPresenter } from '../record/identifier-presenter.js';
import { nativeText } from '../record/identifier-record.js';
import type { KnownAuthorities } from '../record/known-authorities.js';
import { NamingAuthorities } from '../record/naming-authorities.js';
import type { LookupFaultDto, LookupResultDto } from './lookup.dto.js';

/** A text read as a name, or why it is none. */
type Read =
  | (WantedName & {
      readonly canonical: string;
      /** Why it can be no identifier of the naming authority of ours that it names; it still may be an alternate. */
      readonly slip: LookupFaultDto | null;
    })
  | { readonly error: LookupFaultDto };

/** Finds what a list of pasted texts leads to, in one statement. */
@Injectable()
export class LookupManyService {
  constructor(
    private readonly finder: FindAny,
    private readonly authorities: NamingAuthorities,
    private readonly presenter: IdentifierPresenter,
  ) {}

  /** @returns a result for each text, in order. */
  async find(inputs: readonly string[], caller: Caller): Promise<LookupResultDto[]> {
    const known = await this.authorities.current();
    const results = await this.findBy(known, inputs, caller);
    if (results.every(({ status }) => status === 'found')) return results;
    // Another process may have created a naming authority, or changed its resolver, a moment ago.
    const fresh = await this.authorities.refresh();
    return fresh === known ? results : this.findBy(fresh, inputs, caller);
  }

  private async findBy(known: KnownAuthorities, inputs: readonly string[], caller: Caller): Promise<LookupResultDto[]> {
    const reads = inputs.map((input) => read(input, known, caller));
    const wanted = reads.flatMap((each) => ('error' in each ? [] : [each]));
    const all = wanted.length === 0 ? [] : await this.finder.find(wanted);
    const found = all.map((each) => visible(each, caller));
    const matches = new Map(wanted.map((each, index) => [each, found[index] ?? []]));
    return inputs.map((input, index) => {
      const each = reads[index];
      if (each === undefined || 'error' in each) {
        return { input, status: 'malformed', matchedBy: null, ...each };
      }
      const found = matches.get(each) ?? [];
      if (found.length === 0 && each.slip !== null) {
        return { input, status: 'malformed', matchedBy: null, error: each.slip };
      }
      return { input, ...this.result(found), canonical: each.canonical };
    });
  }

  private result(matches: readonly Match[]): Omit<LookupResultDto, 'input'> {
    const [first, ...more] = matches;
    if (first === undefined) return { status: 'missing', matchedBy: null };
    return {
      status: 'found',
      matchedBy: first.matchedBy,
      identifier: this.presenter.show(first.record),
      others: [
        ...new Set(more.filter(({ record }) => record.id !== first.record.id).map(({ record }) => nativeText(record))),
      ],
    };
  }
}

/** What a caller sees of the records that a name leads to. */
function visible(matches: readonly Match[], caller: Caller): Match[] {
  return matches
    .filter(({ record }) => caller.sees(record.namingAuthority))
    .map(({ matchedBy, record }) => ({ matchedBy, record: visibleTo(caller, record) }));
}

function read(text: string, known: KnownAuthorities, caller: Caller): Read {
  const named = known.readName(text);
  if (!named.ok) return { error: faultOf(named.fault) };
  const { name, key, canonical } = named.value;
  // That a local name is a slip tells that its naming authority is registered here.
  if (!('namingAuthority' in name && caller.sees(name.namingAuthority))) {
    return { address: null, key, canonical, slip: null };
  }
  try {
    return { address: known.locate(name, text, ''), key, canonical, slip: null };
  } catch (error) {
    const [fault] = error instanceof Problem ? (error.facts.errors ?? []) : [];
    if (fault?.code === undefined) throw error;
    const slip = { code: fault.code as SyntaxCode, detail: fault.detail, offset: fault.offset ?? 0 };
    return { address: null, key, canonical, slip };
  }
}

function faultOf({ code, detail, offset }: SyntaxFault): LookupFaultDto {
  return { code, detail, offset };
}
