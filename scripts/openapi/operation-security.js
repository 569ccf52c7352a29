/** Explains the scopes once, in the description of the security scheme. */
export const SCHEME = {
  type: 'http',
  scheme: 'bearer',
  bearerFormat: '`mm_live_`, 43 characters of base64url and 8 hexadecimal digits',
  description: [
    'An API key in `Authorization: Bearer`. Not required with `ACCESS=open`. The key of the operator, `ADMIN_API_KEY`, may have any form.',
    'Each operation lists the scopes that permit it; a key needs one of them. A key can also be restricted to naming authorities.',
    '- `read`: read identifiers, naming authorities, reservations and changes; unless `PUBLIC_READ=false`, this needs no key.',
    '- `mint`: mint identifiers and reserve them; activate and release own reservations.',
    '- `register`: register identifiers that exist already, by their GUID or local name.',
    '- `curate`: change, activate, withdraw and reinstate identifiers.',
    '- `admin`: all of this, and import identifiers, manage naming authorities and API keys, and read metrics.',
  ].join('\n'),
};

/** Sets the security of an operation, and names the scopes in its description: OpenAPI defines scopes only for OAuth and OpenID Connect. */
export function describeSecurity(operation, { scopes, needsKey = false }) {
  if (scopes === undefined) throw new Error(`${operation.operationId} declares neither scopes nor that it is public`);
  const isPublic = scopes.includes('read') && !needsKey;
  operation.security = scopes.length === 0 ? [] : [{ apiKey: [] }, ...(isPublic ? [{}] : [])];
  const sentence = needsKey ? 'Needs a key, with any scope.' : sentenceOf(scopes);
  operation.description = [operation.description, sentence].filter(Boolean).join('\n\n');
}

function sentenceOf(scopes) {
  if (scopes.length === 0) return 'Needs no key.';
  const names = scopes.map((scope) => `\`${scope}\``).join(' or ');
  return `Needs the scope ${names}${scopes.includes('read') ? ', or no key where reading is public' : ''}.`;
}
