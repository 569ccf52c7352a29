import { IdentifierDto } from '../record/identifier.dto.js';

/** A registered identifier as it was asked for. */
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
}
