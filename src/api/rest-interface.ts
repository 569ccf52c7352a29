import type { HttpInterface } from '../http/http-interface.js';
import { DATA_HEADERS, DATA_ONLY, securityHeaders } from '../http/server/security-headers.js';
import { sendProblem } from '../problem/send-problem.js';

/** Swagger UI needs scripts, inline styles, images in data URLs, and requests to this service. */
const SWAGGER_UI_HEADERS = securityHeaders(
  `${DATA_ONLY}; connect-src 'self'; img-src 'self' data:; script-src 'self'; style-src 'self' 'unsafe-inline'`,
);

/** The REST API with its documents and health checks. */
export const REST_API: HttpInterface = {
  paths: /^\//,
  securityHeaders: (path) => (/^\/docs(?:[/?]|$)/.test(path) ? SWAGGER_UI_HEADERS : DATA_HEADERS),
  servedInDrain: /^\/health\/live$/,
  // Routes that must work during an overload: health, metrics, and revoking the key that causes it.
  servedInOverload: /^\/(?:health|metrics|api-keys)(?:[/?]|$)/,
  uncounted: /^\/health(?:[/?]|$)/,
  routine: /^\/(?:health|metrics)\b/,
  anyOrigin: new Set(),
  sendProblem,
};
