/** Whether a text is a UUID as ids are written. PostgreSQL refuses every other text where it expects one. */
export function isUuid(text: string): boolean {
  return /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text);
}
