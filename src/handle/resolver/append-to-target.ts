import { isTarget } from '../../registry/target.js';

const MAX_APPENDED_LENGTH = 4096;

/** Maximum length of the result, in characters. Clients and proxies accept 8 or 16 KiB of headers. */
const MAX_LOCATION_LENGTH = 7168;

/** Control characters, such as CR and LF, which could end a header. */
const CONTROL = /[\u0000-\u001f\u007f-\u009f]/;

const NOT_OF_URI = /[^A-Za-z0-9\-._~:/?#[\]@!$&'()*+,;=%]+/gu;

const BARE_PERCENT = /%(?![0-9A-Fa-f]{2})/g;

/** Why a text cannot be appended to a target, as a sentence for readers. */
export interface NotAppended {
  readonly rejection: string;
}

/** Appends `urlappend` to a target. The result has the origin of the target, so that `urlappend` cannot lead to another site. */
export function appendToTarget(target: string, appended: string | null | undefined): string | NotAppended {
  if (appended === null || appended === '') return target;
  if (appended === undefined) return { rejection: 'The parameter urlappend is not percent-encoded UTF-8.' };
  if (appended.length > MAX_APPENDED_LENGTH) {
    return { rejection: `The parameter urlappend may have at most ${MAX_APPENDED_LENGTH} characters.` };
  }
  if (CONTROL.test(appended) || !appended.isWellFormed()) {
    return { rejection: 'The parameter urlappend contains a control character or half of a surrogate pair.' };
  }
  const escaped = appended.replace(BARE_PERCENT, '%25').replace(NOT_OF_URI, (run) => encodeURIComponent(run));
  const location = target + escaped;
  if (location.length > MAX_LOCATION_LENGTH) {
    return { rejection: `The target with urlappend may have at most ${MAX_LOCATION_LENGTH} characters.` };
  }
  if (!isTarget(location) || new URL(location).origin !== new URL(target).origin) {
    return { rejection: 'The parameter urlappend must not change the scheme, the host or the port of the target.' };
  }
  return location;
}
