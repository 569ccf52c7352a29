import type { INestApplication } from '@nestjs/common';
import type { OpenAPIObject } from '@nestjs/swagger';
import { annotateWith } from '../openapi/annotations.js';
import { addProblem } from '../problem/api-problems.js';

/** The OpenAPI document of the service, made from its controllers and DTOs. */
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
      { type: 'http', scheme: 'bearer', description: 'An API key; not needed where access is open.' },
      'apiKey',
    )
    .addSecurityRequirements('apiKey')
    .addTag('identifiers', 'Mint, resolve, find.')
    .addTag('reservations', 'Hold many identifiers until a day.')
    .addTag('naming authorities', 'The prefixes under which identifiers are minted.')
    .addTag('events', 'Follow what happens.')
    .addTag('syntax', 'Canonical forms, without looking anything up.')
    .addTag('api-keys', 'Who may do what.')
    .addTag('health', 'What an orchestrator and its monitoring ask.')
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
    for (const operation of [item.post, item.patch, item.delete]) {
      const forbidden = operation?.responses['403'];
      if (forbidden !== undefined && !('$ref' in forbidden)) addProblem(forbidden, 'CROSS_SITE_REQUEST');
    }
  }
  for (const name of REQUEST_SCHEMAS) {
    const schema = document.components?.schemas?.[name];
    if (schema !== undefined && !('$ref' in schema)) schema.additionalProperties = false;
  }
  return document;
}

/** What the JSON of a request is made of; none of them takes a member that it does not describe. */
const REQUEST_SCHEMAS = [
  'MintRequestDto',
  'MintItemDto',
  'BatchRequestDto',
  'TransferLineDto',
  'TransferTombstoneDto',
  'ApiKeyRequestDto',
  'GrantDto',
  'LookupRequestDto',
  'NormalizeRequestDto',
  'NormalizeItemDto',
  'ContextDto',
  'ResolverDto',
  'ChangeRequestDto',
  'WithdrawRequestDto',
  'ReservationRequestDto',
  'SelectionDto',
  'CreateNamingAuthorityDto',
  'ChangeNamingAuthorityDto',
  'AuthorityResolverDto',
];

const REQUEST_ID = {
  'X-Request-Id': {
    description: "The request's own X-Request-Id, or a new one: the log has the request under it.",
    schema: { type: 'string' as const },
  },
};

const QUOTAS = {
  'RateLimit-Policy': {
    description: 'The quotas that the request was counted in: `q` in `w` seconds; absent where there is none.',
    schema: { type: 'string' as const, example: '"key";q=600000;w=60' },
  },
  RateLimit: {
    description: 'What is left of them: `r`, and after `t` seconds all of it again.',
    schema: { type: 'string' as const, example: '"key";r=599999;t=1' },
  },
};

function isPublic(path: string): boolean {
  return path.startsWith('/health/') || path.startsWith('/problems');
}

/** Names that generated clients give their functions; a client's code depends on them. */
const OPERATIONS: Readonly<Record<string, string>> = {
  'MintingController.mint': 'mintIdentifier',
  'BatchController.mint': 'mintIdentifiers',
  'BulkController.mint': 'streamIdentifiers',
  'ExportController.export': 'exportIdentifiers',
  'ImportController.import': 'importIdentifiers',
  'LookupController.list': 'findIdentifiers',
  'LookupController.find': 'getIdentifier',
  'LookupController.findMany': 'lookUpIdentifiers',
  'CurationController.change': 'changeIdentifier',
  'CurationController.activate': 'activateIdentifier',
  'CurationController.withdraw': 'withdrawIdentifier',
  'CurationController.reinstate': 'reinstateIdentifier',
  'ReservationController.reserve': 'reserveIdentifiers',
  'ReservationController.find': 'getReservation',
  'ReservationController.activate': 'activateReservation',
  'ReservationController.release': 'releaseReservation',
  'NamingAuthoritiesController.list': 'listNamingAuthorities',
  'NamingAuthoritiesController.find': 'getNamingAuthority',
  'NamingAuthoritiesController.create': 'createNamingAuthority',
  'NamingAuthoritiesController.change': 'changeNamingAuthority',
  'EventsController.read': 'readEvents',
  'HistoryController.ofIdentifier': 'getIdentifierHistory',
  'HistoryController.ofAuthority': 'getNamingAuthorityHistory',
  'NormalizationController.uris': 'getIdentifierUris',
  'HealthController.live': 'getLiveness',
  'HealthController.ready': 'getReadiness',
  'MetricsController.scrape': 'getMetrics',
};
