/**
 * The dependency law of docs/explanation/architecture.md. Arrows point down: entry points, interfaces, registry and storage,
 * database. An interface is each folder of `src/` that is none of the layers below, such as `api/`; a new interface is covered by
 * these patterns without a change here.
 */
const LAYERS =
  'registry|handle/values|record-page|storage|database|http|access|problem|config|metrics|openapi|logging|changing|finding|minting|bulk|import-export|reserving|managing|history|doctor';

/** Folders of services, which every interface may use. */
const SERVICES = 'changing|finding|minting|bulk|import-export|reserving|managing|history';
const FACE = `^src/(?!(?:${LAYERS})/)(?:handle/)?[^/]+/`;

/** The folder of a layer; the syntax core is a package of its own. */
const folderOf = (layer) => (layer === 'identifier' ? 'packages/identifier/' : `src/${layer}/`);

/** What a layer may import besides itself. */
const only = (layer, allowed, comment) => ({
  name: `${layer}-imports-only-${allowed.length === 0 ? 'itself' : 'lower-layers'}`,
  comment,
  severity: 'error',
  from: { path: `^src/${layer}/` },
  to: { path: '^(src|packages)/', pathNot: `^(${[layer, ...allowed].map(folderOf).join('|')})` },
});

export default {
  forbidden: [
    {
      name: 'identifier-is-pure',
      comment: 'The syntax core uses no framework, database, clock or environment.',
      severity: 'error',
      from: { path: '^packages/identifier/' },
      to: { pathNot: '^packages/identifier/src/' },
    },
    {
      name: 'identifier-is-imported-by-its-name',
      comment: 'The service imports the package as others do, so that its files can change.',
      severity: 'error',
      from: { path: '^src/' },
      to: { path: '^packages/', dependencyTypesNot: ['aliased-workspace'] },
    },
    only('problem', ['identifier', 'openapi'], 'Every layer may raise a problem.'),
    only('config', ['identifier'], 'The configuration is read before anything else exists.'),
    only('openapi', [], 'Every layer may annotate the OpenAPI document.'),
    only('logging', ['config', 'problem'], 'Logs do not depend on what is logged.'),
    only('metrics', [], 'Counters do not depend on what is counted.'),
    only('database', ['config'], 'Connections and migrations do not depend on what is stored.'),
    only('registry', ['identifier', 'problem'], 'The rules of what is registered use no SQL and no HTTP.'),
    only('handle/values', ['registry', 'identifier'], 'The values of a Handle are a pure model over records.'),
    only('record-page', ['registry', 'identifier'], 'Pages are pure: records and texts in, HTML out.'),
    {
      name: 'registry-uses-no-sql-and-no-http',
      severity: 'error',
      from: { path: '^src/registry/' },
      to: { path: '(^|/)node_modules/(pg|@prisma|fastify|@nestjs/platform-fastify)(/|$)' },
    },
    only('record-page', ['registry', 'identifier'], 'A page is a text made from a record, for every interface.'),
    {
      name: 'record-page-is-pure',
      comment: 'No framework and no package; of Node.js only the digest for the Content-Security-Policy.',
      severity: 'error',
      from: { path: '^src/record-page/' },
      to: { path: '(^|/)node_modules/|^(?:node:)?(?!crypto$)[a-z_/]+$', pathNot: '^src/' },
    },
    {
      name: 'record-page-is-imported-by-its-index',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/record-page/' },
      to: { path: '^src/record-page/', pathNot: '^src/record-page/index\\.ts$' },
    },
    only(
      'storage',
      ['registry', 'database', 'identifier', 'problem'],
      'Storage implements the registry over PostgreSQL.',
    ),
    only(
      'http',
      ['registry', 'problem', 'config', 'openapi', 'logging'],
      'HTTP infrastructure does not depend on storage; the rules of DTO fields are those of the registry.',
    ),
    only(
      'access',
      ['storage', 'registry', 'identifier', 'http', 'problem', 'config', 'metrics', 'openapi'],
      'Access reads API keys and naming authorities.',
    ),
    only(
      'finding',
      ['access', 'storage', 'registry', 'identifier', 'http', 'problem', 'metrics'],
      'Finding what a pasted text denotes is a service of every interface.',
    ),
    only(
      'changing',
      ['minting', 'access', 'storage', 'registry', 'handle/values', 'identifier', 'http', 'problem'],
      'Changes of identifiers are services of every interface; a mint does not depend on them.',
    ),
    only(
      'minting',
      ['access', 'storage', 'registry', 'identifier', 'problem', 'metrics'],
      'Minting and registering are services of every interface.',
    ),
    only(
      'bulk',
      ['changing', 'minting', 'access', 'storage', 'registry', 'identifier', 'http', 'problem'],
      'Mints of many identifiers use the services that mint and change.',
    ),
    only(
      'import-export',
      ['finding', 'access', 'storage', 'registry', 'handle/values', 'identifier', 'http', 'problem'],
      'An export reads by the filters of finding.',
    ),
    only(
      'reserving',
      ['changing', 'access', 'storage', 'registry', 'identifier', 'problem'],
      'Reservations are settled by changes.',
    ),
    only(
      'managing',
      ['access', 'storage', 'registry', 'identifier', 'problem'],
      'Naming authorities and API keys are managed apart from identifiers.',
    ),
    only(
      'history',
      ['access', 'storage', 'registry', 'identifier', 'http', 'problem'],
      'The log of changes depends on no other service.',
    ),
    only(
      'doctor',
      ['storage', 'registry', 'database', 'identifier', 'config'],
      'A command examines an installation; it is no part of the service.',
    ),
    {
      name: 'doctor-is-a-command',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/(doctor/|command-line\\.ts$)' },
      to: { path: '^src/doctor/' },
    },
    {
      name: 'writes-read-the-primary',
      comment: 'A replica can lack the last changes, so nothing that decides about a write reads it.',
      severity: 'error',
      from: { path: '^src/(changing|minting|bulk|import-export|reserving|managing)/' },
      to: { path: '^src/(storage|database)/replica' },
    },
    {
      name: 'services-use-no-http-server',
      severity: 'error',
      from: { path: `^src/(${SERVICES})/` },
      to: { path: '(^|/)node_modules/(fastify|@nestjs/platform-fastify|pg|@prisma)(/|$)' },
    },
    {
      name: 'principals-are-not-of-http',
      comment: 'Services take a principal and a request context from any interface.',
      severity: 'error',
      from: { path: '^src/access/principal\\.ts$' },
      to: { path: '(^|/)node_modules/(@nestjs|fastify)(/|$)', reachable: true },
    },
    {
      name: 'interfaces-do-not-import-one-another',
      severity: 'error',
      from: { path: `^src/(?!(?:${LAYERS})/)((?:handle/)?[^/]+)/` },
      to: { path: FACE, pathNot: '^src/($1|handle/[^/]+\\.ts$)' },
    },
    {
      name: 'features-do-not-import-one-another',
      comment: 'A rule that two features need belongs to the registry; a shared representation to representation/.',
      severity: 'error',
      from: { path: '^src/api/([^/]+)/' },
      to: { path: '^src/api/[^/]+/', pathNot: '^src/api/($1|representation)/' },
    },
    {
      name: 'api-holds-no-services',
      comment:
        'Controllers, DTOs and presenters only: a service stands in a folder of services, where every interface can use it.',
      severity: 'error',
      from: {
        path: '^src/api/',
        pathNot: '(\\.controller|\\.dto|-presenter|-columns|-page|/rest-interface|/api\\.module)\\.ts$',
      },
      to: {},
    },
    {
      name: 'api-reads-by-services',
      comment: 'Of storage it takes types, the orders and limits that DTOs describe, and what its module provides.',
      severity: 'error',
      from: { path: '^src/api/', pathNot: '/api\\.module\\.ts$' },
      to: {
        path: '^src/storage/',
        pathNot: '/(log-page|page-range|identifier-search|readiness)\\.ts$',
        dependencyTypesNot: ['type-only'],
      },
    },
    {
      name: 'layers-do-not-import-interfaces',
      severity: 'error',
      from: { path: `^src/(${LAYERS})/` },
      to: { path: FACE },
    },
    {
      name: 'interfaces-use-no-database',
      comment: 'Only storage reads and writes tables.',
      severity: 'error',
      from: { path: FACE },
      to: { path: '^src/database/|(^|/)node_modules/(pg|@prisma)(/|$)' },
    },
    {
      name: 'readers-do-not-reach-writers',
      comment: 'Look-up, history and export get the read store only.',
      severity: 'error',
      from: {
        path: '^src/(api/((lookup|events)/|import-export/export)|import-export/export|finding/|history/|handle/resolver/)',
      },
      to: { path: '^src/storage/.*(writer|updater|importer|insert|storage-write)', reachable: true },
    },
    {
      name: 'swagger-is-for-development',
      comment: 'A start does not load it: scripts/openapi.js makes the document.',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/database/generated/' },
      to: { path: '(^|/)@nestjs/swagger(/|$)', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'entry-points-are-not-imported',
      severity: 'error',
      from: { path: '^src/[^/]+/' },
      to: { path: '^src/[^/]+\\.ts$' },
    },
    { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true } },
    { name: 'no-folder-cycles', severity: 'error', scope: 'folder', from: {}, to: { circular: true } },
    { name: 'no-orphans', severity: 'error', from: { orphan: true, path: '^src/' }, to: {} },
    {
      name: 'declared-dependencies-only',
      comment: 'Decorators have types of @nestjs/swagger.',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/database/generated/' },
      to: {
        dependencyTypes: ['npm-dev', 'npm-no-pkg', 'npm-unknown', 'unknown'],
        pathNot: '^node_modules/@nestjs/swagger/',
      },
    },
  ],
  options: {
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    doNotFollow: { path: 'node_modules|^src/database/generated|^packages/identifier/dist' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'types', 'node', 'default'] },
  },
};
