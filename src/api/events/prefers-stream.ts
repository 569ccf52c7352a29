import Negotiator from 'negotiator';

const STREAM = 'text/event-stream';
const JSON_TYPE = 'application/json';

/**
 * Whether `Accept` (RFC 9110 12.5.1) names `text/event-stream` and does not prefer JSON. A wildcard gets JSON. Of equal
 * weights the stream wins in either order, while Negotiator takes the first.
 */
export function prefersStream(accept = ''): boolean {
  return namesStreamFirst(accept) || namesStreamFirst(accept.split(',').reverse().join());
}

function namesStreamFirst(accept: string): boolean {
  const named = new Negotiator({ headers: { accept } }).mediaTypes().map((range) => range.toLowerCase());
  const [stream, json] = [named.indexOf(STREAM), named.indexOf(JSON_TYPE)];
  return stream >= 0 && (json < 0 || stream < json);
}
