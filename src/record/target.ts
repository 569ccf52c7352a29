import { ValidateBy } from 'class-validator';

/** Characters of a URI (RFC 3986 2), escapes whole. */
const URI_TEXT = /^(?:[A-Za-z0-9\-._~:/?#[\]@!$&'()*+,;=]|%[0-9A-Fa-f]{2})*$/;

/** An http or https URL with a host; what is before an "@" could be a password, and is no part of where it leads. */
const HTTP_URL = /^https?:\/\/[^/?#@]+(?:[/?#]|$)/i;

/** Whether a text is a URL that an identifier can resolve to. */
export function isTarget(text: unknown): boolean {
  return typeof text === 'string' && HTTP_URL.test(text) && URI_TEXT.test(text) && URL.canParse(text);
}

/** The rule of a DTO's field for such a URL. */
export const IsTarget = (): PropertyDecorator =>
  ValidateBy({
    name: 'isTarget',
    validator: {
      validate: isTarget,
      defaultMessage: () =>
        'target must be an http or https URL without user and password, everything but URI characters percent-encoded',
    },
  });
