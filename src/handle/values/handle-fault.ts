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

/** An error in a request for the values of a Handle. */
export class HandleFault extends Error {
  constructor(
    readonly responseCode: ResponseCode,
    message = '',
  ) {
    super(message);
  }
}

export function invalidInput(message: string): HandleFault {
  return new HandleFault(RESPONSE_CODE.error, message);
}

export function indexConflict(index: number): HandleFault {
  return new HandleFault(RESPONSE_CODE.valueExists, `Index conflict for ${index}`);
}
