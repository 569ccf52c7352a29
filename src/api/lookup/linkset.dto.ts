import { ApiProperty } from '../../openapi/annotations.js';
import type { Linkset } from '../../registry/typed-links.js';

/** The typed links of an identifier (RFC 9264 4.2): a member for each relation, such as `cite-as`. */
export class LinksetDto implements Linkset {
  /**
   * One context: the URL of the representation is its `anchor`. Each other member is a relation with a list of targets,
   * which have `href` and may have `type`.
   */
  @ApiProperty({
    type: 'array',
    items: {
      type: 'object',
      properties: { anchor: { type: 'string' } },
      required: ['anchor'],
      // A schema of the relations would apply to an index of TypeScript, which `anchor` cannot have beside it.
      additionalProperties: true,
    },
    example: [
      {
        anchor: 'https://id.example.org/identifiers/100.102/F58FB49EB1F848F0A606E84CEF294BE5',
        'cite-as': [{ href: 'http://hdl.handle.net/100.102/F58FB49EB1F848F0A606E84CEF294BE5' }],
        type: [{ href: 'https://schema.org/AboutPage' }],
      },
    ],
  })
  linkset: Linkset['linkset'];
}
