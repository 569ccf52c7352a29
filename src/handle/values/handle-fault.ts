/** The response codes of the Handle System that values and writes of records need (RFC 3652 2.2.2.3 and Handle.Net 9). */
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

/** A request about the values of a Handle that cannot be done. An interface makes its response of it. */
export class HandleFault extends Error {
  /** @param message what is wrong; empty where the code says it all. */
  constructor(
    readonly responseCode: ResponseCode,
    message = '',
  ) {
    super(message);
  }
}

/** A fault of the request itself, code 4. */
export function invalidInput(message: string): HandleFault {
  return new HandleFault(RESPONSE_CODE.error, message);
}

export function indexConflict(index: number): HandleFault {
  return new HandleFault(RESPONSE_CODE.valueExists, `Index conflict for ${index}`);
}
