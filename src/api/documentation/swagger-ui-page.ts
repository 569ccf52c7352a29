/** The page of Swagger UI. It has no inline script, because the Content-Security-Policy forbids inline scripts. */
export function swaggerUiPage(base: string): string {
  return `<!DOCTYPE html>
<html lang="en">
  <head>
    <meta charset="UTF-8">
    <title>Mintmark API</title>
    <link rel="stylesheet" type="text/css" href="${base}swagger-ui.css">
    <link rel="stylesheet" type="text/css" href="${base}index.css">
    <link rel="icon" type="image/png" href="${base}favicon-32x32.png" sizes="32x32">
    <link rel="icon" type="image/png" href="${base}favicon-16x16.png" sizes="16x16">
  </head>
  <body>
    <div id="swagger-ui"></div>
    <script src="${base}swagger-ui-bundle.js"></script>
    <script src="${base}swagger-ui-init.js"></script>
  </body>
</html>
`;
}

/**
 * Starts Swagger UI. The validator is disabled, because its badge is an image from another host. `contentMediaType` is deleted, because
 * with it the page would show a file chooser instead of an example. `getSampleSchema` is replaced, because it would quote NDJSON as one
 * string.
 */
export const SWAGGER_UI_SCRIPT = `const url = new URL("../../openapi.json", document.currentScript.src);
fetch(url).then((response) => response.json()).then((spec) => {
  for (const operation of Object.values(spec.paths).flatMap((path) => Object.values(path))) {
    for (const { schema } of Object.values(operation.requestBody?.content ?? {})) delete schema.contentMediaType;
  }
  window.ui = SwaggerUIBundle({
    dom_id: "#swagger-ui",
    deepLinking: true,
    validatorUrl: null,
    tryItOutEnabled: true,
    defaultModelsExpandDepth: 0,
    spec
  });
  const { getSampleSchema } = ui.fn;
  ui.fn.getSampleSchema = (schema, type, config, example) =>
    type === "application/x-ndjson" && typeof example === "string" ? example : getSampleSchema(schema, type, config, example);
});
`;
