const MARKED = new WeakSet<object>();

/** Marks the body of a POST: null in a member that may be absent, and has no meaning of its own for null, is absent. */
export const NullIsAbsent = (): ClassDecorator => (dto) => {
  MARKED.add(dto);
};

/** Whether a DTO or one that it extends is marked. */
export function isNullAbsent(dto: object): boolean {
  for (let each: object | null = dto; each !== null; each = Object.getPrototypeOf(each) as object | null)
    if (MARKED.has(each)) return true;
  return false;
}
