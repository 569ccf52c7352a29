/** What a client needs beside the operations: `info.description`. */
export const INTRODUCTION = `
Mints and registers persistent identifiers: CORDRA identifiers as Handles, with their metadata IDs and URIs.

Every error is a problem document (RFC 9457) with a \`code\`. A path without a resource is 404 \`NOT_FOUND\`. Paths of GET serve HEAD too, \
OPTIONS is 204 with \`Allow\`, and another method is 405 \`METHOD_NOT_ALLOWED\` with \`Allow\`. A JSON body has at most 256 KiB, and one \
for many items as many bytes as the operator permits (\`BODY_LIMIT_BYTES\`, by default 16 MiB): otherwise 413 \`BODY_TOO_LARGE\`. \
\`rule\` of a syntax error, and \`unavailable\` of \`POST /normalize\`, have numbers of rules; \`docs/reference/standards.md\` of the \
source lists these, and \`detail\` is sufficient without them.

Further interfaces; with \`INTERFACES\` the operator chooses whether the service has the first three:
- \`GET /{NA}/{localName}\`, the resolver: an active identifier is 302 to its target, or 200 and its page where it has none. One that is \
reserved or not registered is 404, also where \`GET /identifiers/{identifier}\` is 200 with \`"state": "reserved"\`. A withdrawn one is \
410, or 451 where it was withdrawn as \`legal\`; one that was withdrawn as \`duplicate\` is 302 to where its replacement leads, and 410 in \
\`GET /identifiers/{identifier}\`. A name that is longer than any identifier is 414 \`NAME_TOO_LONG\`.
- \`/api/handles/{NA}/{localName}\`, the API of Handle servers, and \`/hdlresolver\`, that of the plug-in of DSpace.
- \`/hrls/handles\`, the reverse look-up of EUDAT: handles by their values.
- \`/docs\`, this document for people; \`/openapi.json\` and \`/openapi.yaml\`, the document itself.
- \`/problems/{code}\`, the \`code\`, \`status\` and \`title\` of a problem; \`/problems\`, those of all.
`.trim();
