import { isReference, operationsOf } from './document.js';
import { MEMBER_EXAMPLES } from './member-examples.js';

/**
 * Moves the examples of optional parameters into their descriptions, because Swagger UI sends examples that the user has not chosen: a
 * list with the example of a cursor is rejected, and two operations with the example of an idempotency key conflict.
 */
export function describeOptionalParameters(document) {
  for (const { operation } of operationsOf(document)) {
    for (const parameter of operation.parameters ?? []) {
      if (isReference(parameter) || parameter.required === true) continue;
      const { example = parameter.schema?.example ?? MEMBER_EXAMPLES[parameter.name] } = parameter;
      delete parameter.example;
      delete parameter.schema?.example;
      if (typeof example !== 'string' || parameter.schema?.enum !== undefined) continue;
      parameter.description = [parameter.description, `For example \`${example}\`.`].filter(Boolean).join(' ');
    }
  }
}
