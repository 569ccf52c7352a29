/** Whether `Accept` (RFC 9110 12.5.1) names `text/event-stream` and prefers it to JSON. A wildcard gets JSON. */
export function prefersStream(accept = ''): boolean {
  const weights = new Map<string, number>();
  for (const range of accept.toLowerCase().split(',')) {
    const [type = '', ...parameters] = range.split(';').map((part) => part.trim());
    const weight = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2);
    weights.set(type, weight === undefined ? 1 : Number(weight) || 0);
  }
  const stream = weights.get('text/event-stream') ?? 0;
  return stream > 0 && stream >= (weights.get('application/json') ?? 0);
}
