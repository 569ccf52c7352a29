import type { INestApplication } from '@nestjs/common';
import { annotateWith } from '../../openapi/annotations.js';
import { closeRequestSchemas } from './openapi/closed-requests.js';
import { type Document, isReference, operationsOf } from './openapi/document.js';
import { withPlainSchemaNames } from './openapi/schema-names.js';
import { shareParts } from './openapi/share-parts.js';
import { shareResponses } from './openapi/share-responses.js';

/** Generates the OpenAPI document from controllers and DTOs. */
export async function openApiDocument(app: INestApplication): Promise<Document> {
  const swagger = await import('@nestjs/swagger');
  annotateWith(swagger);
  const { DocumentBuilder, SwaggerModule } = swagger;
  const base = new DocumentBuilder()
    .setOpenAPIVersion('3.1.0')
    .setTitle('Mintmark')
    .setDescription(
      'Mints and registers persistent identifiers: CORDRA identifiers as Handles, with their metadata IDs and URIs. ' +
        'Every error is a problem document (RFC 9457) with a code from a closed list.',
    )
    .setVersion('1')
    .setLicense('Apache-2.0', 'https://www.apache.org/licenses/LICENSE-2.0')
    .addServer('/')
    .addBearerAuth(
      { type: 'http', scheme: 'bearer', description: 'An API key. Not required where access is open.' },
      'apiKey',
    )
    .addSecurityRequirements('apiKey')
    .addTag('identifiers', 'Mint, register, resolve and search identifiers.')
    .addTag('reservations', 'Hold identifiers until a given time, then activate or release them.')
    .addTag('naming authorities', 'The prefixes under which identifiers are minted.')
    .addTag('events', 'Read and follow changes to identifiers.')
    .addTag('syntax', 'Convert identifiers to their canonical forms, without reading the registry.')
    .addTag('api-keys', 'Manage API keys.')
    .addTag('health', 'Health checks and metrics.')
    .build();
  const created = SwaggerModule.createDocument(app, base, {
    operationIdFactory: (controller, method) => OPERATIONS[`${controller}.${method}`] ?? method,
  });
  const document = withPlainSchemaNames(JSON.parse(JSON.stringify(created)) as Document);
  for (const { path, operation } of operationsOf(document)) {
    if (path.startsWith('/health/')) operation.security = [];
    for (const [status, response] of Object.entries(operation.responses)) {
      const isUnlimited = Number(status) < 400 && isPublic(path);
      if (!isReference(response))
        response.headers = { ...response.headers, ...REQUEST_ID, ...(isUnlimited ? {} : QUOTAS) };
    }
  }
  closeRequestSchemas(document);
  shareResponses(document);
  shareParts(document);
  return document;
}

const REQUEST_ID = {
  'X-Request-Id': {
    description: 'The `X-Request-Id` of the request, or a new one. Log entries of the request contain it.',
    schema: { type: 'string' as const },
  },
};

const QUOTAS = {
  'RateLimit-Policy': {
    description: 'The quotas that apply to the request: `q` requests in `w` seconds. Absent where no quota applies.',
    schema: { type: 'string' as const, example: '"key";q=600000;w=60' },
  },
  RateLimit: {
    description: 'The remaining quota `r`, and the seconds `t` until it is reset.',
    schema: { type: 'string' as const, example: '"key";r=599999;t=1' },
  },
};

function isPublic(path: string): boolean {
  return path.startsWith('/health/') || path.startsWith('/problems');
}

/** Operation IDs, a verb and what it concerns; clients are generated from them, so they do not change. */
const OPERATIONS: Readonly<Record<string, string>> = {
  'MintingController.mint': 'mintIdentifier',
  'BatchController.mint': 'mintBatch',
  'BulkController.mint': 'mintStream',
  'ExportController.export': 'exportIdentifiers',
  'ImportController.import': 'importIdentifiers',
  'LookupController.list': 'listIdentifiers',
  'LookupController.find': 'getIdentifier',
  'LookupController.findMany': 'lookUpIdentifiers',
  'CurationController.change': 'updateIdentifier',
  'CurationController.activate': 'activateIdentifier',
  'CurationController.withdraw': 'withdrawIdentifier',
  'CurationController.reinstate': 'reinstateIdentifier',
  'ReservationController.reserve': 'createReservation',
  'ReservationController.find': 'getReservation',
  'ReservationController.activate': 'activateReservation',
  'ReservationController.release': 'releaseReservation',
  'NamingAuthoritiesController.list': 'listNamingAuthorities',
  'NamingAuthoritiesController.find': 'getNamingAuthority',
  'NamingAuthoritiesController.create': 'createNamingAuthority',
  'NamingAuthoritiesController.change': 'updateNamingAuthority',
  'EventsController.read': 'listEvents',
  'HistoryController.ofIdentifier': 'listIdentifierHistory',
  'HistoryController.ofNamingAuthority': 'listNamingAuthorityHistory',
  'NormalizationController.normalize': 'normalizeIdentifiers',
  'NormalizationController.uris': 'getIdentifierUris',
  'ApiKeysController.createKey': 'createApiKey',
  'ApiKeysController.listKeys': 'listApiKeys',
  'ApiKeysController.getKey': 'getApiKey',
  'ApiKeysController.revokeKey': 'revokeApiKey',
  'ApiKeysController.confirmKey': 'confirmApiKey',
  'HealthController.live': 'getLiveness',
  'HealthController.ready': 'getReadiness',
  'MetricsController.scrape': 'getMetrics',
};
