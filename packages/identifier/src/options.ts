/**
 * The checks of options, for callers without a compiler.
 *
 * Options are the last parameter of a function, an object whose members have defaults. A number in their place is
 * ignored: `texts.filter(isHandle)` passes the index.
 */
const CHARSETS = ['ucs2', 'unicode'];
const PROFILES = ['cordra', 'generic', 'handle-scheme'];
const HDL_AUTHORITIES = ['naming-authority', 'server'];

interface Members {
  readonly charset?: unknown;
  readonly profile?: unknown;
  readonly hdlAuthority?: unknown;
  readonly resolver?: unknown;
}

/** @throws TypeError for options that are null or a string, and for an unknown charset. */
export function checkCharset(options: unknown): void {
  if (options === null || typeof options === 'string') throw expected('options', 'an object', options);
  const { charset } = options as Members;
  if (charset !== undefined) checkOneOf('charset', charset, CHARSETS);
}

/** Does not check `resolver`, which the hdl and info forms do not use. @throws TypeError for a member with an unknown value. */
export function checkForm(options: unknown): void {
  checkCharset(options);
  const { profile, hdlAuthority } = options as Members;
  if (profile !== undefined) checkOneOf('profile', profile, PROFILES);
  if (hdlAuthority !== undefined) checkOneOf('hdlAuthority', hdlAuthority, HDL_AUTHORITIES);
}

export function checkOptions(options: unknown): void {
  checkForm(options);
  const { resolver } = options as Members;
  if (resolver === undefined || resolver === null) return;
  if (typeof (resolver as { readonly prefix?: unknown }).prefix !== 'string') {
    throw expected('resolver', 'a result of parseResolver or toResolver', resolver);
  }
}

export function checkOneOf(member: string, value: unknown, allowed: readonly unknown[]): void {
  if (!allowed.includes(value)) throw expected(member, `one of ${allowed.join(', ')}`, value);
}

export function checkTexts(members: object): void {
  for (const [member, value] of Object.entries(members)) {
    if (typeof value !== 'string') throw expected(member, 'a string', value);
  }
}

function expected(member: string, what: string, found: unknown): TypeError {
  const shown = typeof found === 'string' ? `"${found}"` : found === null ? 'null' : `a value of type ${typeof found}`;
  return new TypeError(`${member}: expected ${what}, found ${shown}`);
}
