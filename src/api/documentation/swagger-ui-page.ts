/** Swagger UI of a relative URL, without inline scripts, which the Content-Security-Policy forbids. */
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
    <script src="${base}swagger-ui-standalone-preset.js"></script>
    <script src="${base}swagger-ui-init.js"></script>
  </body>
</html>
`;
}

/** Starts Swagger UI. Its validator is disabled, because the badge is an image of another host. */
export const SWAGGER_UI_SCRIPT = `const settings = {
  "dom_id": "#swagger-ui",
  "deepLinking": true,
  "layout": "StandaloneLayout",
  "validatorUrl": null
};
window.ui = SwaggerUIBundle({
  ...settings,
  url: new URL("../../openapi.json", document.currentScript.src).href,
  presets: [SwaggerUIBundle.presets.apis, SwaggerUIStandalonePreset],
  plugins: [SwaggerUIBundle.plugins.DownloadUrl]
});
`;
