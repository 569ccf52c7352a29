/** The problem of a `DATABASE_URL` (undefined when not set), in words that do not contain its password. */
export function databaseUrlProblem(url: string | undefined): string[] {
  if (url === undefined) return [];
  const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(url)?.[1];
  if (!/^postgres(?:ql)?:\/\//.test(url)) {
    const found = scheme === undefined ? '' : `; it starts with ${scheme}:, and only PostgreSQL is supported`;
    return [
      `DATABASE_URL must be a URL such as postgresql://user:password@host:5432/database${scheme?.startsWith('postgres') ? '' : found}`,
    ];
  }
  if (!URL.canParse(url)) {
    return [
      'DATABASE_URL is not a valid URL; percent-encode the characters of user and password that are special in a URL, such as %40 for "@" and %2F for "/"',
    ];
  }
  const schema = new URL(url).searchParams.get('schema');
  if (schema === null) return [];
  return [
    `DATABASE_URL has the parameter schema, which PostgreSQL does not know; remove it, and set the schema of the role: ALTER ROLE … SET search_path = "${schema}"`,
  ];
}
