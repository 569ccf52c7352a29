import { ApiParam } from '../openapi/annotations.js';

/** Describes the path parameter `{identifier}` in OpenAPI, whose template language has no word for a raw slash in it. */
export const ApiIdentifierParam = (): MethodDecorator =>
  ApiParam({
    name: 'identifier',
    type: String,
    description:
      'The identifier in any form, percent-encoded; or naming authority and local name with a raw slash between them.',
    example: '100.102/F58FB49EB1F848F0A606E84CEF294BE5',
  });
