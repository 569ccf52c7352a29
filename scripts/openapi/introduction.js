/** What a client needs beside the operations: `info.description`. */
export const INTRODUCTION = `
Mintmark mints and registers persistent identifiers: CORDRA identifiers as Handles, with their metadata IDs and URIs.

Every error is a problem document (RFC 9457) with a \`code\`. An unknown path causes 404 \`NOT_FOUND\`. Every path that accepts GET also \
accepts HEAD. OPTIONS returns 204, and a method that the path does not accept causes 405 \`METHOD_NOT_ALLOWED\`, both with \`Allow\`. A \
JSON body has at most 256 KiB, or at most \`BODY_LIMIT_BYTES\` (by default 16 MiB) if the operation accepts many items. A larger body is \
rejected with 413 \`BODY_TOO_LARGE\`. \`rule\` of a syntax error, and \`unavailable\` of \`POST /normalize\`, contain numbers of rules, \
which \`docs/reference/standards.md\` of the source lists; \`detail\` describes the error without these numbers.

The service has further interfaces. The operator selects the first three with \`INTERFACES\`:
- \`GET /{NA}/{localName}\`, the resolver, redirects an active identifier to its target (302), or returns its page (200) if it has no \
target. For a reserved or unregistered identifier, it returns 404, even if \`GET /identifiers/{identifier}\` returns 200 with \
\`"state": "reserved"\`. For a withdrawn identifier, it returns 410, or 451 if the reason is \`legal\`; a \`duplicate\` is redirected \
(302) to the destination of its replacement, while \`GET /identifiers/{identifier}\` returns 410. A name that is longer than any \
identifier causes 414 \`NAME_TOO_LONG\`.
- \`/api/handles/{NA}/{localName}\` is the API of Handle servers, and \`/hdlresolver\` the API for the plug-in of DSpace.
- \`/hrls/handles\`, the reverse look-up of EUDAT, finds handles by their values.
- \`/docs\` displays this document; \`/openapi.json\` and \`/openapi.yaml\` are the document itself.
- \`/problems/{code}\` has the \`code\`, \`status\` and \`title\` of a problem; \`/problems\` lists those of all problems.
`.trim();
