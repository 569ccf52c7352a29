import { MAX_LOCAL_NAME_BYTES } from '../../registry/canonical-name.js';

/** The response codes of the Handle System that this service uses (RFC 3652 2.2.2.2 and Handle.Net 9). */
export const RESPONSE_CODE = {
  success: 1,
  failure: 2,
  serverTooBusy: 3,
  error: 4,
  handleNotFound: 100,
  handleExists: 101,
  invalidHandle: 102,
  valueNotFound: 200,
  valueExists: 201,
  valueInvalid: 202,
  prefixElsewhere: 301,
  notAuthorized: 400,
  authenticationNeeded: 402,
} as const;

export type ResponseCode = (typeof RESPONSE_CODE)[keyof typeof RESPONSE_CODE];

const WITHDRAWN = 410;

/** HTTP status of each response code; 400 for others. */
const STATUSES: Readonly<Record<number, number>> = {
  [RESPONSE_CODE.handleNotFound]: 404,
  [RESPONSE_CODE.handleExists]: 409,
  [RESPONSE_CODE.valueExists]: 409,
  [RESPONSE_CODE.notAuthorized]: 403,
};

/** An error in a request for the values of a Handle. */
export class HandleFault extends Error {
  constructor(
    readonly responseCode: ResponseCode,
    message = '',
    readonly status = STATUSES[responseCode] ?? 400,
  ) {
    super(message);
  }

  /** The label of the fault in metrics. */
  get outcome(): 'withdrawn' | 'unknown' | 'rejected' {
    if (this.status === WITHDRAWN) return 'withdrawn';
    const { handleNotFound, prefixElsewhere: elsewhere } = RESPONSE_CODE;
    return this.responseCode === handleNotFound || this.responseCode === elsewhere ? 'unknown' : 'rejected';
  }
}

export function invalidInput(message: string): HandleFault {
  return new HandleFault(RESPONSE_CODE.error, message);
}

export function indexConflict(index: number): HandleFault {
  return new HandleFault(RESPONSE_CODE.valueExists, `Index conflict for ${index}`);
}

export function notFound(): HandleFault {
  return new HandleFault(RESPONSE_CODE.handleNotFound);
}

/** The fault has the code of an unknown Handle, because the API of Handle.Net has no code for a withdrawn Handle. */
export function withdrawn(reason: string): HandleFault {
  return new HandleFault(RESPONSE_CODE.handleNotFound, reason, WITHDRAWN);
}

/** For a prefix that is unknown or hidden, with the message of Handle.Net. */
export function prefixElsewhere(): HandleFault {
  return new HandleFault(RESPONSE_CODE.prefixElsewhere, "That prefix doesn't live here");
}

export const LONG_NAME = `A local name has at most ${MAX_LOCAL_NAME_BYTES} bytes; this one is longer.`;

export function tooLong(): HandleFault {
  return new HandleFault(RESPONSE_CODE.error, LONG_NAME, 414);
}
