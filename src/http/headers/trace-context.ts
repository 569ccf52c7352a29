/** The trace and the span of the caller (W3C Trace Context). */
export interface TraceContext {
  readonly traceId: string;
  readonly parentId: string;
}

/** version "-" trace-id "-" parent-id "-" trace-flags; later versions may append more. */
const TRACEPARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}(-.*)?$/;

/** Invalid headers are ignored (W3C Trace Context 3.2.2 and 4.3). */
export function readTraceParent(header: string | string[] | undefined): TraceContext | null {
  if (typeof header !== 'string') return null;
  const [, version, traceId = '', parentId = '', more] = TRACEPARENT.exec(header) ?? [];
  if (version === undefined || version === 'ff' || (version === '00' && more !== undefined)) return null;
  if (/^0+$/.test(traceId) || /^0+$/.test(parentId)) return null;
  return { traceId, parentId };
}
