import type { RepairCode } from '../../identifier/index.js';
import { ApiProperty } from '../../openapi/annotations.js';
import { IdentifierDto, REPAIRS } from '../representation/identifier.dto.js';

/** A registered identifier, with the query and fragment of the request. */
export class FoundIdentifierDto extends IdentifierDto {
  /**
   * The query of the identifier in the request (CID-15), without "?": echoed, never interpreted.
   * @example null
   */
  query: string | null;

  /**
   * The fragment of the identifier in the request (CID-19), without "#": echoed, never interpreted.
   * @example null
   */
  fragment: string | null;

  /** How the text of the request differs from the identifier, as in `POST /normalize`; absent where it does not. */
  @ApiProperty(REPAIRS)
  repairs?: readonly RepairCode[];
}

/** The identifiers that have the GUID of the request. */
export class ChoicesDto {
  /**
   * The first ten in order of minting, `NA/local`.
   * @example ["100.102/F58FB49EB1F848F0A606E84CEF294BE5", "2000.01/F58FB49EB1F848F0A606E84CEF294BE5"]
   */
  candidates: string[];
}
