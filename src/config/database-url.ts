/**
 * The problem of the URL of a database (undefined when not set), in words that do not contain its password.
 * @param variable `DATABASE_URL` or `READ_DATABASE_URL`.
 */
export function databaseUrlProblem(variable: string, url: string | undefined): string[] {
  if (url === undefined) return [];
  const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(url)?.[1];
  if (!/^postgres(?:ql)?:\/\//.test(url)) {
    const found = scheme === undefined ? '' : `; it starts with ${scheme}:, and only PostgreSQL is supported`;
    return [
      `${variable} must be a URL such as postgresql://user:password@host:5432/database${scheme?.startsWith('postgres') ? '' : found}`,
    ];
  }
  if (!URL.canParse(url)) {
    return [
      `${variable} is not a valid URL; percent-encode the characters of user and password that are special in a URL, such as %40 for "@" and %2F for "/"`,
    ];
  }
  const schema = new URL(url).searchParams.get('schema');
  if (schema === null) return [];
  return [
    `${variable} has the parameter schema, which PostgreSQL does not know; remove it, and set the schema of the role: ALTER ROLE … SET search_path = "${schema}"`,
  ];
}

/** The problem of a `READ_DATABASE_URL` (undefined when not set). */
export function readDatabaseUrlProblem(url: string | undefined, primary: string | undefined): string[] {
  if (url === undefined) return [];
  if (primary === undefined)
    return ['READ_DATABASE_URL is set without DATABASE_URL; the embedded PostgreSQL has no standby'];
  // `pg` connects to one host.
  if (/^postgres(?:ql)?:\/\/[^/?]*,/.test(url)) {
    return ['READ_DATABASE_URL names several hosts; name one, such as a balancer before them'];
  }
  return databaseUrlProblem('READ_DATABASE_URL', url);
}
