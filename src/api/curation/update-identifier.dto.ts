import { MaxLength } from 'class-validator';
import { Computed, Members, READ_ONLY_TIME as TIME, ReadOnly } from '../../http/validation/read-only.js';
import { NullIsAbsent, IsAlternateIds, IsTarget } from '../../http/validation/member-decorators.js';
import type { RepairCode } from '@mintmark/identifier';
import { MAX_TARGET_LENGTH, STATES } from '../../registry/identifier-record.js';
import { MAX_STORED_BYTES } from '../../registry/canonical-name.js';
import { HandleValueDto } from '../representation/handle-value.dto.js';
import { IdentifierDto, REPAIRS, TombstoneDto, UrisDto } from '../representation/identifier.dto.js';
import { NullableLanguage, NullableText, OptionalText } from '../../http/validation/described-members.js';

const OF_RESOLVER = 'Read-only and always ignored, because it changes with the configured resolver.';

const OF_OTHERS = 'Read-only and always ignored, because it changes with other identifiers.';

/**
 * The changes to an identifier. An absent member is not changed. The body can be the complete representation. A read-only member that is
 * not always ignored must have its current value; otherwise, the request fails with READ_ONLY_MEMBER.
 */
@Members({
  identifier: ReadOnly('Read-only: the identifier.', { type: String }),
  namingAuthority: ReadOnly('Read-only: the Handle prefix.', { type: String }),
  guid: ReadOnly('Read-only: the GUID.', { type: String, nullable: true }),
  localName: ReadOnly('Read-only: the local name.', { type: String }),
  describes: Computed(OF_OTHERS, { type: [String] }),
  newerVersions: Computed(OF_OTHERS, { type: [String] }),
  state: ReadOnly('Read-only: the state.', { enum: STATES, enumName: 'IdentifierState' }),
  handleValues: ReadOnly('Read-only: the stored values of the Handle.', {
    type: () => [HandleValueDto],
    nullable: true,
  }),
  sandbox: ReadOnly('Read-only: whether the naming authority is for tests.', { type: Boolean }),
  version: ReadOnly('Read-only: the version.', { type: 'integer' }),
  createdAt: ReadOnly('Read-only: the time of minting.', TIME),
  updatedAt: ReadOnly('Read-only: the time of the last change.', TIME),
  leaseUntil: ReadOnly('Read-only: the end of the lease.', { ...TIME, nullable: true }),
  tombstone: ReadOnly('Read-only: the tombstone.', { type: () => TombstoneDto, nullable: true }),
  uris: Computed(OF_RESOLVER, { type: () => UrisDto }),
  metadataRecord: Computed('Ignored: the metadata record in the response to a mint.', {
    type: () => IdentifierDto,
    nullable: true,
  }),
  ignored: Computed('Ignored: the member `ignored` of the response to a mint.', { type: [String] }),
  understood: Computed('Ignored: the names in the response to a mint that are stored in another notation.', {
    type: Object,
    additionalProperties: { type: 'string' },
  }),
  repairs: Computed(undefined, REPAIRS),
})
export class UpdateIdentifierDto {
  /** The identifier of the metadata record (CID-24) in any form, unique within the naming authority; null removes it. */
  @NullableText(MAX_STORED_BYTES, 'hdl:2000.01/A3D8BE7457C943FFB66ED4583059A8BA')
  metadataId?: string | null;

  /** The http or https URL to which the identifier resolves; null removes it. */
  @NullableText(MAX_TARGET_LENGTH, 'https://repo.example.org/objects/8', IsTarget())
  target?: string | null;

  /** The language of the page to which the target leads, as a case-insensitive tag of BCP 47; null removes it. */
  @NullableLanguage('de')
  language?: string | null;

  /**
   * All alternate identifiers of the object, in any form; they replace the present ones. An empty list or null removes all. An alternate
   * must not be the identifier of another object; adding an alternate under a naming authority of this service requires the right to
   * register there.
   * @example ["info:fedora/demo:8"]
   */
  @IsAlternateIds(true)
  alternateIds?: string[] | null;

  /**
   * The identifier of the previous version of the object, in any form; null removes it. A previous version under a naming authority of this
   * service must be registered and not reserved. For a reserved identifier, only the activation can set this member.
   */
  @NullableText(MAX_STORED_BYTES, '100.102/A3D8BE7457C943FFB66ED4583059A8BA')
  previousVersion?: string | null;

  /** Ignored: the repairs of the identifier in the request. */
  repairs?: readonly RepairCode[];
}

/** The changes to an identifier that is activated. */
@NullIsAbsent()
export class ActivateIdentifierDto extends UpdateIdentifierDto {
  /**
   * The http or https URL to which the metadata record that was minted with the object (`mintMetadataId`) resolves, in the format of
   * `target`. If there is no such record, or it is withdrawn, the request fails with WRONG_STATE.
   */
  @IsTarget()
  @MaxLength(MAX_TARGET_LENGTH)
  @OptionalText()
  metadataTarget?: string;
}
