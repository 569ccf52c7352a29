import { Injectable } from '@nestjs/common';
import type { RequestContext } from '../access/principal.js';
import { CurationService } from './curation.service.js';
import { type ValuesStep, metadataIdIn } from './values-command.js';
import {
  HandleFault,
  RESPONSE_CODE,
  type ValuesToPut,
  invalidInput,
  requireComputable,
  targetIn,
} from '../handle/values/index.js';
import { canonicalUri, toHandle } from '@mintmark/identifier';
import type { MintOutcome } from '../minting/mint-outcome.js';
import { MintingService } from '../minting/minting.service.js';
import { Problem } from '../problem/problem.js';
import type { IdentifierSnapshot } from '../registry/identifier-record.js';
import type { MintRequest } from '../registry/mint-command.js';
import type { NamingAuthority } from '../registry/naming-authority.js';
import type { StoredValue } from '../registry/stored-value.js';
import { type HandleLocation, locationIn } from './handle-location.js';
import { IdentifierReader } from '../storage/identifiers/identifier-reader.js';

/** `created`: the Handle did not exist, or a client had deleted it. */
export type PutOutcome = 'created' | 'replaced';

const HANDLE_POINTER = '#path/handle';

/** Writes records for clients of the Handle System. Handles are native texts (`NA/local`) as the client sent them. */
@Injectable()
export class HandleRecordsService {
  constructor(
    private readonly curation: CurationService,
    private readonly minting: MintingService,
    private readonly reader: IdentifierReader,
  ) {}

  /**
   * Writes the values of a Handle. Without `indexes`, it writes all values, and registers a Handle that does not exist. Registration
   * requires the scope `register`, and any other write requires `curate`.
   * @throws HandleFault code 4, 100, 101, 201 or 301
   * @throws Problem METADATA_ID_TAKEN, or as `MintingService.mint` and `CurationService.run`
   */
  async put(context: RequestContext, handle: string, put: ValuesToPut): Promise<PutOutcome> {
    const located = await this.locate(context, handle);
    if (await this.isRegistered(located)) return this.replace(context, handle, put);
    if (put.indexes !== null) throw new HandleFault(RESPONSE_CODE.handleNotFound);
    const { authority, localName } = located;
    if (localName === '') throw invalidInput('a Handle needs a suffix that is not empty');
    const name = authority.profile === 'cordra' ? { guid: localName } : { localName };
    try {
      await this.minting.mint({ ...recordOf(authority, put.values), ...name }, context);
      return 'created';
    } catch (error) {
      // Another request registered the Handle meanwhile.
      if (error instanceof Problem && (error.code === 'IDENTIFIER_TAKEN' || error.code === 'GUID_TAKEN'))
        return this.replace(context, handle, put);
      throw error;
    }
  }

  /**
   * Mints a Handle with values. Requires the scope `mint`; an Idempotency-Key applies.
   * @param start the prefix, "/" and the start of the local name, such as `100.102/` or `100.102/pre-`.
   * @throws HandleFault code 4 or 301
   * @throws Problem as `MintingService.mint`
   */
  async mint(context: RequestContext, start: string, values: readonly StoredValue[]): Promise<MintOutcome> {
    const { authority, localName: localNameStart } = await this.locate(context, start);
    return this.minting.mint({ ...recordOf(authority, values), localNameStart }, context);
  }

  /**
   * Removes the values at the given indexes. On an error, it removes none.
   * @throws HandleFault code 100, 200 or 301
   * @throws Problem as `CurationService.run`
   */
  async remove(context: RequestContext, handle: string, indexes: readonly number[]): Promise<void> {
    await this.changeRegistered(context, handle, { step: 'removed', indexes });
  }

  /**
   * Deletes a Handle of a sandbox.
   * @throws HandleFault code 100 or 301, and 400 outside a sandbox
   * @throws Problem as `CurationService.run`
   */
  async delete(context: RequestContext, handle: string): Promise<void> {
    await this.changeRegistered(context, handle, { step: 'deleted' });
  }

  private async replace(context: RequestContext, handle: string, put: ValuesToPut): Promise<PutOutcome> {
    let outcome: PutOutcome = 'replaced';
    const requireCurrent = ({ state }: IdentifierSnapshot): void => {
      outcome = state === 'withdrawn' ? 'created' : 'replaced';
    };
    await this.curation.run({ ...changeOf(context, handle), requireCurrent }, { step: 'put', put });
    return outcome;
  }

  private async changeRegistered(context: RequestContext, handle: string, step: ValuesStep): Promise<void> {
    const located = await this.locate(context, handle);
    if (!(await this.isRegistered(located))) throw new HandleFault(RESPONSE_CODE.handleNotFound);
    await this.curation.run(changeOf(context, handle), step);
  }

  private async isRegistered({ address }: HandleLocation): Promise<boolean> {
    return address !== null && (await this.reader.find(address)) !== null;
  }

  private async locate({ principal }: RequestContext, handle: string): Promise<HandleLocation> {
    const known = await this.minting.knownFor(principal, [handle.split('/', 1)[0] ?? '']);
    const location = locationIn(principal.viewOf(known), handle);
    if (location.kind === 'here') return location;
    if (location.kind === 'tooLong') throw invalidInput('the local name is too long');
    throw new HandleFault(RESPONSE_CODE.prefixElsewhere, "That prefix doesn't live here");
  }
}

function changeOf({ principal, idempotencyKey }: RequestContext, handle: string) {
  // The Handle is sent as a URI, because a native text with letters before the "/" can be recognized as another form.
  const identifier = canonicalUri(toHandle(handle, { charset: 'unicode' }));
  return { principal, idempotencyKey, identifier, pointer: HANDLE_POINTER };
}

/** The mint request of a new record with values. @throws HandleFault code 4 */
function recordOf(
  { prefix, storesHandleValues: stores }: NamingAuthority,
  values: readonly StoredValue[],
): MintRequest {
  if (!stores) requireComputable(values, prefix);
  const target = targetIn(values) ?? null;
  const metadataId = metadataIdIn(values);
  return {
    namingAuthority: prefix,
    onExisting: 'reject',
    ...(target !== null && { target }),
    ...(metadataId !== null && { metadataId }),
    ...(stores && { handleValues: values }),
  };
}
