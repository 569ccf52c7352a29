import { Injectable } from '@nestjs/common';
import { Problem } from '../problem/problem.js';
import { GuidSource } from '../record/guid-source.js';
import { IdentifierChanges } from '../record/identifier-changes.js';
import { IdentifierWriter, type Insertion } from '../record/identifier-writer.js';
import { LawsMet, type MetLaws, lapsedIn } from '../record/met-laws.js';
import { withoutMeetings } from '../record/meetings.js';
import { NamingAuthorities, activeIn } from '../record/naming-authorities.js';
import type { NewIdentifier } from '../record/new-identifier.js';
import { requireSameRequest } from '../record/outcomes.js';
import { type Queryable, Transactions } from '../record/transactions.js';
import { type Asked, draft } from './draft.js';
import { EarlierMints } from './earlier-mints.js';
import { MintCounts } from './mint-counts.js';
import type { MintOrder } from './mint-order.js';
import { type Minted, settledBy } from './minted.js';
import { Repeats } from './repeats.js';

/** How often a mint is tried again with a new GUID. Two random GUIDs never meet; a broken random source would. */
const MAX_ATTEMPTS = 5;

/** What a caller wants minted. */
export interface MintJob {
  readonly order: MintOrder;
  readonly asked: Asked;
}

/** Mints about which everything is decided that the database need not be asked for. */
export interface DraftedMints {
  readonly jobs: readonly MintJob[];
  readonly drafted: readonly Drafted[];
  /** Null where it is likely that they are known already, and are looked for first. */
  readonly arranged: Arranged | null;
  /** What those came to that were refused already, each at the place of its job. */
  readonly results: (Minted | Problem)[];
}

interface Pending {
  readonly job: MintJob;
  /** Where its result belongs. */
  readonly place: number;
  readonly attempt: number;
}

interface Drafted {
  readonly pending: Pending;
  readonly item: NewIdentifier;
}

/** What one statement inserts now, and what would meet something of that and comes later. */
interface Arranged {
  readonly now: readonly Drafted[];
  readonly later: readonly Drafted[];
  readonly insertion: Insertion;
}

/**
 * Mints exactly once. The database's unique indexes decide in the statement that mints; only when they leave a row out
 * does a second look find which law was met. That nothing was found by a look before the insert decides nothing, so no two
 * requests can slip through together; what was found there is as true as what is found afterwards.
 */
@Injectable()
export class MintingService {
  private readonly repeats = new Repeats();

  constructor(
    private readonly writer: IdentifierWriter,
    private readonly laws: LawsMet,
    private readonly changes: IdentifierChanges,
    private readonly transactions: Transactions,
    private readonly authorities: NamingAuthorities,
    private readonly guids: GuidSource,
    private readonly counts: MintCounts,
    private readonly earlier: EarlierMints,
  ) {}

  /**
   * Mints any number of identifiers, each for itself.
   * @param transaction where they belong to more; else each statement is committed by itself.
   * @returns for each job, in order, what became of it; a refusal is a result here: as `draft` and `settledBy` give it,
   * UNKNOWN_NAMING_AUTHORITY or SUSPENDED_NAMING_AUTHORITY.
   */
  async mintAll(jobs: readonly MintJob[], transaction?: Queryable): Promise<(Minted | Problem)[]> {
    return this.mintDrafted(await this.draft(jobs), transaction);
  }

  /** The first half of `mintAll`: it changes nothing, so it can be done while others are being minted. */
  async draft(jobs: readonly MintJob[]): Promise<DraftedMints> {
    const results: (Minted | Problem)[] = [];
    const pending = jobs.map((job, place) => ({ job, place, attempt: 1 }));
    const drafted = pending.length === 0 ? [] : await this.draftAll(pending, results);
    return { jobs, results, drafted, arranged: this.repeats.likely ? null : this.arrange(drafted) };
  }

  /** The second half of `mintAll`, once for each draft. */
  async mintDrafted(drafts: DraftedMints, transaction?: Queryable): Promise<(Minted | Problem)[]> {
    const { jobs, results } = drafts;
    let { drafted, arranged } = drafts;
    while (drafted.length > 0) {
      const looksFirst = transaction === undefined && this.repeats.likely;
      if (looksFirst) arranged = this.arrange(await this.answerKnown(drafted, results));
      const pending = await this.round(arranged ?? this.arrange(drafted), results, transaction);
      drafted = pending.length === 0 ? [] : await this.draftAll(pending, results);
      arranged = null;
    }
    if (transaction === undefined) {
      const orders = jobs.map(({ order }) => order);
      this.counts.count(orders, results);
      this.repeats.note(results.filter(isRepeat).length, jobs.length);
    }
    return results;
  }

  /** Inserts what can be inserted together, and looks at the rest. @returns what is to be tried again. */
  private async round(
    { now, later, insertion }: Arranged,
    results: (Minted | Problem)[],
    transaction: Queryable | undefined,
  ): Promise<Pending[]> {
    const inserted = await this.writer.insert(insertion, transaction);
    now.forEach(({ pending: { place } }, index) => {
      const row = inserted[index] ?? null;
      if (row === null) return;
      results[place] = { outcome: 'created', record: row.record, metadataRecord: row.metadataRecord };
    });
    const left = [...now.filter((_, index) => inserted[index] === null), ...later];
    if (left.length === 0) return [];
    const met = await this.laws.find(items(left), transaction);
    await this.writeLapses(met);
    const again: Pending[] = [];
    for (const [index, { pending, item }] of left.entries()) {
      const { job, place, attempt } = pending;
      const result = await this.settle(met[index], job, item, transaction);
      if (result !== null) results[place] = result;
      else again.push({ job, place, attempt: attempt + (index < left.length - later.length ? 1 : 0) });
    }
    return again;
  }

  private arrange(drafted: readonly Drafted[]): Arranged {
    const { now, later } = withoutMeetings(drafted);
    return { now, later, insertion: this.writer.prepare(items(now)) };
  }

  /** Answers what is known already. @returns the rest. */
  private async answerKnown(drafted: readonly Drafted[], results: (Minted | Problem)[]): Promise<Drafted[]> {
    const met = await this.laws.find(items(drafted));
    const rest: Drafted[] = [];
    for (const [index, each] of drafted.entries()) {
      const result = await this.settle(met[index], each.pending.job, each.item);
      if (result === null) rest.push(each);
      else results[each.pending.place] = result;
    }
    return rest;
  }

  private async draftAll(pending: readonly Pending[], results: (Minted | Problem)[]): Promise<Drafted[]> {
    // A naming authority that was changed in the meantime is one reason for another attempt.
    const fresh = pending.some(({ attempt }) => attempt > 1);
    const known = fresh
      ? await this.authorities.refresh('all')
      : await this.authorities.currentFor(pending.map(({ job }) => job.order.namingAuthority));
    const drafted: Drafted[] = [];
    for (const each of pending) {
      const { order, asked } = each.job;
      if (each.attempt > MAX_ATTEMPTS) {
        throw new Error(`${MAX_ATTEMPTS} mints in a row met GUIDs that exist; the random source repeats itself`);
      }
      try {
        const authority = activeIn(known, order.namingAuthority);
        drafted.push({ pending: each, item: draft(order, asked, authority, known, this.guids) });
      } catch (error) {
        if (!(error instanceof Problem)) throw error;
        // What the request came to before is told, whatever would refuse it now.
        results[each.place] = (await refusalOr(() => this.earlier.find(asked))) ?? error;
      }
    }
    return drafted;
  }

  private async settle(
    met: MetLaws | undefined,
    { order }: MintJob,
    item: NewIdentifier,
    transaction?: Queryable,
  ): Promise<Minted | Problem | null> {
    if (met === undefined) return null;
    return refusalOr(async () => {
      if (met.outcome !== null && item.request !== null) {
        requireSameRequest(met.outcome.hash, item.request.hash);
        const found = await this.earlier.read(met.outcome.text, transaction);
        if (found !== null) return found;
      }
      return isLapsed(met) ? null : settledBy(met, order, item);
    });
  }

  /** Frees what reservations hold whose lease has ended. In a transaction of its own, as every change of others is. */
  private async writeLapses(met: readonly MetLaws[]): Promise<void> {
    const ids = met.flatMap((laws) => lapsedIn(laws).map(({ id }) => id));
    if (ids.length > 0) await this.transactions.run((transaction) => this.changes.lapse(transaction, ids));
  }
}

const isRepeat = (result: Minted | Problem): boolean => !(result instanceof Problem) && result.outcome !== 'created';

const isLapsed = (met: MetLaws): boolean => lapsedIn(met).length > 0;

const items = (drafted: readonly Drafted[]): NewIdentifier[] => drafted.map(({ item }) => item);

/** A refusal as a value, where one of many must not stop the others. */
async function refusalOr<T>(work: () => Promise<T>): Promise<T | Problem> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Problem) return error;
    throw error;
  }
}
