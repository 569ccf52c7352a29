const METHODS = ['get', 'head', 'post', 'put', 'patch', 'delete', 'options', 'trace'];

/**
 * Reads the operations of an OpenAPI 3.1 document, with resolved references.
 * @returns a list of `{ id, method, path, parameters, body, responses, mayWait }`, where `body` is null or `{ required,
 * content }`, `responses` maps a status, `4XX` or `default` to its documented content, and `headers` to the names of its headers.
 */
export function operationsOf(document) {
  return Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item)
      .filter(([method]) => METHODS.includes(method))
      .map(([method, operation]) => readOperation(document, { path, method, item, operation })),
  );
}

function readOperation(document, { path, method, item, operation }) {
  const parameters = [...(item.parameters ?? []), ...(operation.parameters ?? [])].map((one) => follow(document, one));
  const body = follow(document, operation.requestBody);
  const responses = Object.fromEntries(
    Object.entries(operation.responses).map(([status, response]) => [
      status.toUpperCase(),
      follow(document, response).content ?? {},
    ]),
  );
  const headers = Object.fromEntries(
    Object.entries(operation.responses).map(([status, response]) => [
      status.toUpperCase(),
      Object.keys(follow(document, response).headers ?? {}).map((name) => name.toLowerCase()),
    ]),
  );
  return {
    id: operation.operationId ?? `${method} ${path}`,
    method: method.toUpperCase(),
    path,
    parameters,
    body: body === undefined ? null : { required: body.required === true, content: body.content },
    responses,
    headers,
    // A pending or endless response is correct for an operation that waits for events.
    mayWait:
      parameters.some(({ name }) => /wait|poll|^prefer$/i.test(name)) ||
      Object.values(responses).some((content) => 'text/event-stream' in content),
  };
}

/** The target of a `$ref` in the document; any other object is returned unchanged. */
export function follow(document, value) {
  if (typeof value?.$ref !== 'string') return value;
  const steps = value.$ref.slice(2).split('/');
  const found = steps.reduce((at, step) => at?.[step.replaceAll('~1', '/').replaceAll('~0', '~')], document);
  if (found === undefined) throw new Error(`the document has no ${value.$ref}`);
  return follow(document, found);
}

/** The documented content for a status: its own, that of its class, or the default; else undefined. */
export function contentFor({ responses }, status) {
  return responses[status] ?? responses[`${String(status)[0]}XX`] ?? responses.DEFAULT;
}

/** Whether a media type is JSON (RFC 8259, and the suffix of RFC 6839). */
export function isJson(type) {
  return /^application\/json$|\+json$/.test(type);
}
