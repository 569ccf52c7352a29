/**
 * An error at start that the operator can correct. It is shown without a stack; any other error at start is a defect
 * and shows its stack.
 */
export class StartupError extends Error {
  override readonly name = 'StartupError';
}

/** The message of anything that was thrown, for use inside a sentence. */
export function reasonOf(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return error.errors.map(reasonOf).join('; ');
  return error instanceof Error ? error.message : String(error);
}
