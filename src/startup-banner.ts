import { type Config, describeAccess } from './config/config.js';
import { VERSION } from './config/version.js';

export function startupBanner(settings: {
  url: string;
  metricsUrl: string | null;
  config: Config;
  prefixes: readonly string[];
}): string {
  const { url, metricsUrl, config, prefixes } = settings;
  const [first] = prefixes;
  const data = 'dataDir' in config.database ? config.database.dataDir : `the database of DATABASE_URL`;
  const key = config.adminApiKey === null ? '' : " -H 'authorization: Bearer <ADMIN_API_KEY>'";
  const hasApi = config.interfaces.has('api');
  const mint = !hasApi
    ? []
    : first === undefined
      ? ['No naming authority exists: set NAMING_AUTHORITIES, for example to 100.102, and restart.']
      : [
          'Mint an identifier:',
          '',
          `  curl -X POST ${url}/identifiers -H 'content-type: application/json'${key} \\`,
          `    -d '{"namingAuthority":"${first}","target":"https://repo.example.org/objects/7"}'`,
        ];
  return [
    '',
    `Mintmark ${VERSION} is ready.`,
    '',
    `  Service              ${url}`,
    ...(hasApi ? [`  API documentation    ${url}/docs`] : []),
    `  Metrics              ${metricsUrl ?? url}/metrics`,
    `  Data                 ${data}`,
    `  Naming authorities   ${prefixes.length === 0 ? 'none' : prefixes.slice(0, 5).join(', ')}${prefixes.length > 5 ? ', …' : ''}`,
    `  Access               ${describeAccess(config)}`,
    '',
    ...mint,
    '',
    'Stop it with Ctrl-C; minted identifiers are kept.',
    '',
    '',
  ].join('\n');
}
