import { ApiParam } from '../../openapi/annotations.js';

/** Describes the path parameter `{identifier}`; OpenAPI templates cannot express an unescaped slash. */
export const ApiIdentifierParam = (example = '100.102/F58FB49EB1F848F0A606E84CEF294BE5'): MethodDecorator =>
  ApiParam({
    name: 'identifier',
    type: String,
    description:
      'The identifier in any form, percent-encoded; or the naming authority and the local name, separated by an unescaped slash.',
    example,
  });

/** The location of the identifier in a request whose path has `ApiIdentifierParam`. */
export const IDENTIFIER_POINTER = '#path/identifier';
