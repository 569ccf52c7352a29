/** A form for the resolver, which redirects to the target. */
const FORM = `<form method="post" action="/">
<p><label>Identifier <input name="hdl" required></label> <button>Resolve</button></p>
</form>
`;

/**
 * The page at `/`.
 * @param service the origin of the service in its example.
 * @param hasForm whether the service resolves `POST /`.
 */
export function frontPage(service: string, hasForm: boolean): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Mintmark</title>
</head>
<body>
<h1>Mintmark</h1>
<p>This service mints and registers persistent identifiers for repositories: CORDRA identifiers, which are Handles, with
their metadata IDs and URIs.</p>
<ul>
<li><a href="/docs">API documentation</a>, and <a href="/openapi.json">the OpenAPI document</a></li>
<li><a href="/problems">Error codes</a></li>
<li><a href="/health/ready">Health</a></li>
<li><a href="/naming-authorities">Naming authorities</a></li>
</ul>
${hasForm ? FORM : ''}<h2>Mint an identifier</h2>
<pre>curl ${service}/identifiers -H 'content-type: application/json' -d '{"namingAuthority":"100.102"}'</pre>
<p>Replace <code>100.102</code> by a naming authority of this service. Where writing needs an API key, add
<code>-H 'authorization: Bearer &lt;key&gt;'</code>.</p>
</body>
</html>
`;
}
