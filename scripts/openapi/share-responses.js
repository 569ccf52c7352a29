import { STATUS_CODES } from 'node:http';
import { componentName, isReference, operationsOf } from './document.js';

/**
 * Moves the responses with problems to components. Responses with the same status and media types differ only in their descriptions,
 * which name the codes and stay at the operations.
 */
export function shareResponses(document) {
  const shared = {};
  for (const { operation } of operationsOf(document)) {
    for (const [status, response] of Object.entries(operation.responses)) {
      if (Number(status) < 400 || isReference(response)) continue;
      const name = nameOf(status, response);
      const component = { ...response, description: descriptionOf(status) };
      const known = (shared[name] ??= component);
      if (JSON.stringify(known) !== JSON.stringify(component)) {
        throw new Error(`${operation.operationId} has another response ${status} than other operations`);
      }
      operation.responses[status] = { $ref: `#/components/responses/${name}`, description: response.description };
    }
  }
  document.components.responses = sorted(shared);
}

function nameOf(status, { content = {} }) {
  const phrase = componentName(STATUS_CODES[status] ?? status);
  return 'text/html' in content ? `${phrase}OrPage` : phrase;
}

function descriptionOf(status) {
  return `${status} ${STATUS_CODES[status] ?? ''}: the operation lists the codes that the problem may have.`;
}

function sorted(record) {
  return Object.fromEntries(Object.entries(record).sort(([one], [other]) => (one < other ? -1 : 1)));
}
