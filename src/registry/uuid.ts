/** A UUID with hyphens, in any case. PostgreSQL would fail on other texts. */
export function isUuid(text: string): boolean {
  return /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text);
}

/** `F58FB49EB1F8…` of PostgreSQL's `f58fb49e-b1f8-…` (UUID-05). */
export function compactGuid(uuid: string): string {
  return uuid.replaceAll('-', '').toUpperCase();
}
