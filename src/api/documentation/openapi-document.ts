import type { INestApplication } from '@nestjs/common';
import type { OpenAPIObject } from '@nestjs/swagger';
import { annotateWith } from '../../openapi/annotations.js';

/** Generates the OpenAPI document from controllers and DTOs. */
export async function openApiDocument(app: INestApplication): Promise<OpenAPIObject> {
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
  const document = SwaggerModule.createDocument(app, base, {
    operationIdFactory: (controller, method) => OPERATIONS[`${controller}.${method}`] ?? method,
  });
  for (const [path, item] of Object.entries(document.paths)) {
    for (const operation of [item.get, item.post, item.patch, item.delete]) {
      if (operation === undefined) continue;
      if (path.startsWith('/health/')) operation.security = [];
      for (const response of Object.values(operation.responses)) {
        if (response === undefined || '$ref' in response) continue;
        response.headers = { ...response.headers, ...REQUEST_ID, ...(isPublic(path) ? {} : QUOTAS) };
      }
    }
  }
  closeRequestSchemas(document);
  return document;
}

/** Sets `additionalProperties: false` on every object of a request body: validation rejects unknown members. */
function closeRequestSchemas(document: OpenAPIObject): void {
  const schemas = document.components?.schemas ?? {};
  const operations = Object.values(document.paths).flatMap((item) => [item.get, item.post, item.patch, item.delete]);
  const unread = operations.flatMap((operation) => referencesIn(operation?.requestBody));
  const visited = new Set<string>();
  for (let name = unread.pop(); name !== undefined; name = unread.pop()) {
    const schema = schemas[name];
    if (visited.has(name) || schema === undefined || '$ref' in schema) continue;
    visited.add(name);
    if (schema.type === 'object') schema.additionalProperties = false;
    unread.push(...referencesIn(schema));
  }
}

function referencesIn(part: unknown): string[] {
  const references = JSON.stringify(part ?? null).matchAll(/"\$ref":"#\/components\/schemas\/([^"]+)"/g);
  return Array.from(references, ([, name = '']) => name);
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
