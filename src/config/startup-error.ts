/**
 * A reason not to start that a person can act on. Its message is shown alone, without a stack, and the process ends
 * with exit code 1; any other error at start is a fault of ours and keeps its stack.
 */
export class StartupError extends Error {
  override readonly name = 'StartupError';
}

/** The message of anything that was thrown, for use inside a sentence. */
export function reasonOf(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return error.errors.map(reasonOf).join('; ');
  return error instanceof Error ? error.message : String(error);
}
