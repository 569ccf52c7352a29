const URI_TEXT = /^(?:[A-Za-z0-9\-._~:/?#[\]@!$&'()*+,;=]|%[0-9A-Fa-f]{2})*$/;

/** An http or https URL with a host and no user information, which could contain a password. */
const HTTP_URL = /^https?:\/\/[^/?#@]+(?:[/?#]|$)/i;

export function isTarget(text: unknown): boolean {
  return typeof text === 'string' && HTTP_URL.test(text) && URI_TEXT.test(text) && URL.canParse(text);
}
