import { ModulesContainer } from '@nestjs/core';
import * as swagger from '@nestjs/swagger';
import { CHANGE_COLUMNS } from '../../dist/api/changes/change-columns.js';
import { IMPORT_COLUMNS } from '../../dist/api/import-export/transfer-columns.js';
import { routeSettingsOf } from '../../dist/http/route-settings.js';
import { ANY_VALUE, annotateWith } from '../../dist/openapi/annotations.js';
import { closeRequestSchemas } from './closed-requests.js';
import { isReference, operationsOf } from './document.js';
import { separateInputs } from './input-schemas.js';
import { SCHEME, describeSecurity } from './operation-security.js';
import { permitNulls } from './null-members.js';
import { openEnumerations } from './open-enumerations.js';
import { OPERATIONS } from './operation-ids.js';
import { INTRODUCTION } from './introduction.js';
import { addMemberExamples } from './member-examples.js';
import { withoutRuleNumbers } from './rule-numbers.js';
import { REQUEST_EXAMPLES } from './request-examples.js';
import { describeOptionalParameters } from './optional-parameters.js';
import { withPlainSchemaNames } from './schema-names.js';
import { shareParts } from './share-parts.js';
import { shareResponses } from './share-responses.js';
import { describeStreams } from './stream-bodies.js';

const COLUMNS = {
  changeIdentifiers: CHANGE_COLUMNS.names,
  exportIdentifiers: IMPORT_COLUMNS.names,
  importIdentifiers: IMPORT_COLUMNS.names,
};

/** Generates the OpenAPI document from controllers and DTOs. */
export function openApiDocument(app, version) {
  annotateWith(swagger);
  const base = new swagger.DocumentBuilder()
    .setOpenAPIVersion('3.1.0')
    .setTitle('Mintmark')
    .setDescription(INTRODUCTION)
    .setVersion(version)
    .setLicense('Apache-2.0', 'https://www.apache.org/licenses/LICENSE-2.0')
    .setExternalDoc('Problem details of HTTP APIs', 'https://www.rfc-editor.org/rfc/rfc9457')
    .addServer('/')
    .addBearerAuth(SCHEME, 'apiKey')
    .addTag('identifiers', 'Mint, register, resolve, change and search identifiers.')
    .addTag('reservations', 'Reserve identifiers for a limited time, and activate or release them within it.')
    .addTag('naming authorities', 'The prefixes under which identifiers are minted.')
    .addTag('events', 'Read and follow changes to identifiers.')
    .addTag('syntax', 'Convert identifiers to their canonical forms, without reading the registry.')
    .addTag('api-keys', 'Manage API keys.')
    .addTag('health', 'Health checks and metrics.')
    .build();
  // `setContact` requires a URL and an email address, which only the operator of an instance knows.
  base.info.contact = { name: 'The operator of this service' };
  const routes = routesOf(app);
  const scopes = new Map();
  const created = swagger.SwaggerModule.createDocument(app, base, {
    // If true, the operations of a controller without a tag would get the name of its class as a tag.
    autoTagControllers: false,
    operationIdFactory: (controller, method) => {
      const id = OPERATIONS[`${controller}.${method}`] ?? method;
      scopes.set(id, routes.get(`${controller}.${method}`) ?? {});
      return id;
    },
  });
  const document = withPlainSchemaNames(
    JSON.parse(JSON.stringify(created, (key, value) => (key === 'type' && value === ANY_VALUE ? undefined : value))),
  );
  for (const { path, operation } of operationsOf(document)) {
    describeSecurity(operation, scopes.get(operation.operationId) ?? {});
    const example = REQUEST_EXAMPLES[operation.operationId];
    for (const [status, response] of Object.entries(operation.responses)) {
      const isUnlimited = Number(status) < 400 && isPublic(path);
      if (!isReference(response))
        response.headers = { ...response.headers, ...REQUEST_ID, ...(isUnlimited ? {} : QUOTAS) };
    }
    for (const [type, media] of Object.entries(operation.requestBody?.content ?? {})) {
      if (example?.[type] !== undefined) media.example = example[type];
    }
  }
  addMemberExamples(document);
  separateInputs(document);
  permitNulls(document);
  closeRequestSchemas(document);
  openEnumerations(document);
  describeStreams(document, COLUMNS);
  describeOptionalParameters(document);
  shareResponses(document);
  shareParts(document);
  return withoutRuleNumbers(document);
}

/** The settings of the handlers of all controllers, by `Controller.method`. */
function routesOf(app) {
  const controllers = [...app.get(ModulesContainer).values()].flatMap((module) => [...module.controllers.values()]);
  return new Map(
    controllers.flatMap(({ metatype }) =>
      typeof metatype !== 'function'
        ? []
        : Object.entries(Object.getOwnPropertyDescriptors(metatype.prototype)).flatMap(([name, { value }]) =>
            typeof value === 'function' ? [[`${metatype.name}.${name}`, routeSettingsOf(value)]] : [],
          ),
    ),
  );
}

const REQUEST_ID = {
  'X-Request-Id': {
    description: 'The `X-Request-Id` of the request, or a new one. Log entries of the request contain it.',
    schema: { type: 'string' },
  },
};

const QUOTAS = {
  'RateLimit-Policy': {
    description: 'The quotas that apply to the request: `q` requests in `w` seconds. Absent if no quota applies.',
    schema: { type: 'string', example: '"key";q=600000;w=60' },
  },
  RateLimit: {
    description: 'The remaining quota `r`, and the seconds `t` until it is reset.',
    schema: { type: 'string', example: '"key";r=599999;t=1' },
  },
};

function isPublic(path) {
  return path.startsWith('/health/') || path.startsWith('/problems');
}
