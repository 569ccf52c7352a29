import { Injectable } from '@nestjs/common';
import type { Principal, RequestContext } from '../access/principal.js';
import type { RepairCode } from '@mintmark/identifier';
import { inOwnTurns } from '../http/body/own-turn.js';
import { Problem, type StoredProblem, deserializeProblem, serializeProblem } from '../problem/problem.js';
import { keyReused } from '../problem/storage-problems.js';
import { shownConflict } from '../registry/conflict-problem.js';
import type { Digest } from '../registry/uuid.js';
import { type IdentifierRecord, nativeText } from '../registry/identifier-record.js';
import type { Address, NamingAuthoritySnapshot } from '../registry/naming-authority-snapshot.js';
import { ConflictRetries } from '../storage/conflict-retries.js';
import { IdempotentRequests, keyedRequest } from '../storage/idempotency.js';
import { IdentifierReader } from '../storage/identifiers/identifier-reader.js';
import { NameHolders } from '../storage/identifiers/name-holders.js';
import { NamingAuthorityCache } from '../storage/naming-authorities/naming-authority-cache.js';
import type { Queryable } from '../storage/transactions.js';
import { type ChangedMembers, changedMembers } from './changed-members.js';
import { type ReadyChange, type ReceivedChange, readChange, requireChangeable, textsIn } from './change-line.js';
import { ChangeEngine } from './change-engine.js';
import { type PlannedChange, type TargetedChange, notRegistered } from './change-plan.js';
import { otherAddressIn } from './curation-command.js';
import { PreviewedChanges, bytesOfDryRuns } from './previewed-changes.js';

/** The fingerprint source of every stream; lines have separate fingerprints. */
const STREAM = { changes: 'stream' };

interface Chunk<Line> {
  /** The first and the last line that can be in the same chunk, which depend only on the numbers of its lines. */
  readonly range: { readonly first: number; readonly last: number };
  readonly isFirst: boolean;
  readonly lines: readonly Line[];
}

export type ReadyChunk = Chunk<ReadyLine> & { readonly known: NamingAuthoritySnapshot };

type ReadyLine = Omit<ReadyChange, 'change'> & {
  readonly change: TargetedChange | Problem;
  readonly repairs: readonly RepairCode[];
  readonly isForbidden: boolean;
};

const FORBIDDEN: ReadonlySet<string> = new Set(['SCOPE_MISSING', 'NAMING_AUTHORITY_FORBIDDEN']);

type NamedLine = Pick<ReadyLine, 'line' | 'clientRef' | 'repairs'>;

/** A line, and its identifier if it was found, even if the line failed. */
type FoundLine = NamedLine & { readonly identifier: string | undefined };

/** "unchanged": the identifier already has the requested values. */
export interface ChangeResult {
  readonly outcome: 'changed' | 'unchanged';
  readonly id: bigint;
  /** `NA/local`. */
  readonly identifier: string;
  readonly version: number;
  readonly old?: ChangedMembers;
  /** Only in a dry run. */
  readonly new?: ChangedMembers;
}

export type ChangedLine = FoundLine & { readonly result: ChangeResult | Problem };

interface StoredLine {
  readonly line: number;
  readonly hash: Digest;
  readonly problem?: StoredProblem;
  readonly identifier?: string;
  readonly changed?: Omit<ChangeResult, 'id'> & { readonly id: string };
}

/** Changes many identifiers. Each chunk of lines is one transaction and, with an idempotency key, has one stored result. */
@Injectable()
export class ChangeStreamService {
  /** The bytes that all dry runs of the process keep. */
  private readonly kept = bytesOfDryRuns();

  constructor(
    private readonly engine: ChangeEngine,
    private readonly retries: ConflictRetries,
    private readonly reader: IdentifierReader,
    private readonly holders: NameHolders,
    private readonly requests: IdempotentRequests,
    private readonly namingAuthorities: NamingAuthorityCache,
  ) {}

  /** Parses and authorizes a chunk, and finds its identifiers. It writes nothing, so it can run while another chunk is changed. */
  async prepare({ lines, ...chunk }: Chunk<ReceivedChange>, principal: Principal): Promise<ReadyChunk> {
    const known = principal.viewOf(await this.namingAuthorities.currentForTexts(lines.flatMap(textsIn)));
    const read = await inOwnTurns(lines, (line) => readChange(line, known, principal));
    const wanted = read.flatMap(({ change }) =>
      change instanceof Problem ? [] : [change.address, otherAddressIn(change.step), change.exact],
    );
    const addresses = wanted.filter((address) => address !== null);
    const found = await this.holders.findIds(addresses);
    const ids = new Map<Address | null, bigint | null>(addresses.map((address, at) => [address, found[at] ?? null]));
    const ready = read.map(({ change, ...line }): ReadyLine => {
      if (change instanceof Problem) return { ...line, change, repairs: [], isForbidden: FORBIDDEN.has(change.code) };
      const exactId = ids.get(change.exact) ?? null;
      const id = exactId ?? ids.get(change.address) ?? null;
      const { missDetail, pointer, metadata, step, ifVersion } = change;
      const otherId = ids.get(otherAddressIn(step)) ?? null;
      const check = (record: IdentifierRecord): void => {
        requireChangeable(record, step, ifVersion);
      };
      const targeted = { missDetail, id, metadata, step, otherId, check };
      const rejection = id === null && metadata === null ? notRegistered(missDetail, pointer) : null;
      // A name without an address belongs to a naming authority that the principal cannot see, or that does not exist.
      const isForbidden = change.address === null && metadata === null;
      return { ...line, repairs: exactId === null ? change.repairs : [], change: rejection ?? targeted, isForbidden };
    });
    return { ...chunk, lines: ready, known };
  }

  /**
   * Changes the identifiers of a chunk. A line that was changed before with the same idempotency key returns its first result.
   * @throws Problem IDEMPOTENCY_KEY_REUSED if another kind of request used the key, REQUEST_IN_FLIGHT, CONFLICT_IN_PROGRESS
   */
  async change(chunk: ReadyChunk, { principal, idempotencyKey }: RequestContext): Promise<ChangedLine[]> {
    const request = keyedRequest(principal, idempotencyKey, STREAM);
    const { stored, made } = await this.retries.run(() =>
      this.requests.inStream<StoredLine>(request, chunk, async (transaction, earlier) => {
        // The body of an earlier request may have ended within the chunk, even without an error.
        const after = earlier.at(-1)?.line ?? 0;
        const lines = chunk.lines.filter(({ line }) => line > after);
        return lines.length === 0 ? [] : this.write(transaction, { ...chunk, lines }, principal);
      }),
    );
    const replayed = new Set(stored);
    const byLine = new Map([...stored, ...made].map((each) => [each.line, each]));
    return chunk.lines.map((each) => {
      const stored = byLine.get(each.line);
      const isReplayed = stored !== undefined && replayed.has(stored);
      const result = shownConflict(resultOf(each, stored, isReplayed), chunk.known);
      const isFound = stored?.hash === each.fingerprint && !each.isForbidden;
      return { ...namedLine(each), identifier: isFound ? stored.identifier : undefined, result };
    });
  }

  startDryRun(client: string): PreviewedChanges {
    return new PreviewedChanges(this.kept, client);
  }

  /** Decides the changes of a chunk without locks and writes. @throws Problem as `PreviewedChanges.keep` */
  async preview(chunk: ReadyChunk, earlier: PreviewedChanges, principal: Principal): Promise<ChangedLine[]> {
    const plan = await this.engine.preview(targetsOf(chunk), earlier, { known: chunk.known, principal });
    const lines = chunk.lines.map(({ change, ...line }) => {
      const planned = change instanceof Problem ? change : plan.attempt(change);
      const result = planned instanceof Problem ? planned : changeIn(planned);
      return { ...namedLine(line), identifier: plan.nameOf(change), result };
    });
    earlier.keep(plan);
    return lines;
  }

  /** Returns the current records of results, in the order of `ids`. */
  async find(ids: readonly bigint[], principal: Principal): Promise<IdentifierRecord[]> {
    return (await this.reader.findByIds(ids)).map((record) => principal.redact(record));
  }

  private async write(transaction: Queryable, chunk: ReadyChunk, principal: Principal): Promise<StoredLine[]> {
    const plan = await this.engine.begin(transaction, targetsOf(chunk), { known: chunk.known, principal });
    const stored = chunk.lines.map(({ line, fingerprint: hash, change }): StoredLine => {
      const result = change instanceof Problem ? change : plan.attempt(change);
      if (result instanceof Problem) {
        const identifier = plan.nameOf(change);
        return { line, hash, problem: serializeProblem(result), ...(identifier !== undefined && { identifier }) };
      }
      const { new: _, id, ...made } = changeIn(result);
      const changed = { ...made, id: id.toString() };
      return { line, hash, changed };
    });
    await this.engine.write(transaction, principal, plan);
    return stored;
  }
}

function changeIn({ before, after, amendment }: PlannedChange): ChangeResult {
  const common = { id: after.id, identifier: nativeText(after), version: after.version };
  if (amendment === null) return { ...common, outcome: 'unchanged' };
  return { ...common, outcome: 'changed', ...changedMembers(before, after) };
}

function namedLine({ line, clientRef, repairs }: NamedLine): NamedLine {
  return { line, clientRef, repairs };
}

function targetsOf({ lines }: ReadyChunk): TargetedChange[] {
  return lines.flatMap(({ change }) => (change instanceof Problem ? [] : [change]));
}

/** A rejection has priority over the replay, because the API key of the repeat can have fewer rights than the key of the first request. */
function resultOf(
  { change, fingerprint, isForbidden }: ReadyLine,
  stored: StoredLine | undefined,
  replayed: boolean,
): ChangeResult | Problem {
  if (replayed && isForbidden && change instanceof Problem) return change;
  if (stored?.hash !== fingerprint) return keyReused();
  if (stored.problem !== undefined) return deserializeProblem(stored.problem);
  if (stored.changed === undefined) throw new TypeError('a stored line has a result or a problem');
  return { ...stored.changed, id: BigInt(stored.changed.id) };
}
