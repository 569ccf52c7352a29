import { Problem } from '../../problem/problem.js';

/**
 * Awaits a service whose command has the parameters of a query as members: the JSON Pointers of its problems, such as
 * `/target`, become the pointers of the parameters, `#query/target`.
 */
export async function withQueryPointers<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw error instanceof Problem ? ofQuery(error) : error;
  }
}

function ofQuery({ code, detail, extensions }: Problem): Problem {
  const errors = extensions.errors?.map((error) =>
    error.pointer.startsWith('/') ? { ...error, pointer: `#query${error.pointer}` } : error,
  );
  return new Problem(code, detail, { ...extensions, ...(errors !== undefined && { errors }) });
}
