/** An error that the operator can correct, shown without a stack. Any other error at start is a defect. */
export class StartupError extends Error {
  override readonly name = 'StartupError';
}

/** The message of any thrown value, for use inside a sentence. */
export function reasonOf(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return error.errors.map(reasonOf).join('; ');
  return error instanceof Error ? error.message : String(error);
}
