import { IdentifierDto } from '../representation/identifier.dto.js';

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
}
