import 'reflect-metadata';
import { Expose, Transform } from 'class-transformer';
import { IsIn, IsInt, IsOptional, Matches, Max, Min, MinLength, ValidateBy } from 'class-validator';

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'];

const PUBLIC_HISTORIES = ['full', 'anonymous', 'none'] as const;
export type PublicHistory = (typeof PUBLIC_HISTORIES)[number];

/** What the log contains of client addresses: all, the network (24 bits of IPv4, 48 of IPv6), or nothing. */
const LOGGED_ADDRESSES = ['full', 'truncated', 'off'] as const;
export type LoggedAddresses = (typeof LOGGED_ADDRESSES)[number];

/** The log level, or the default level if the variable is invalid or not set. */
export function logLevelOf({ LOG_LEVEL = '' }: NodeJS.ProcessEnv): string {
  return LOG_LEVELS.includes(LOG_LEVEL) ? LOG_LEVEL : 'info';
}

/** A key of 64 random hexadecimal digits nearly always has at least this many different characters. Most placeholders have fewer. */
const MIN_DIFFERENT_CHARACTERS = 12;

/** Maximum length of `BLOCKED_BY_URL`, in characters, because responses of the resolver have it in `Link`. */
const MAX_LINKED_URL = 500;

/** A text variable. An empty value counts as not set. */
function Text(): PropertyDecorator {
  return decorated(
    Expose(),
    Transform(({ value }: { value: unknown }) => (value === '' ? undefined : value)),
    IsOptional(),
  );
}

function WholeBetween(least: number, most: number): PropertyDecorator {
  const message = `must be a whole number from ${least} to ${most}`;
  return decorated(
    Text(),
    Transform(({ value }: { value: unknown }) =>
      typeof value === 'string' && /^[0-9]{1,9}$/.test(value) ? Number(value) : value,
    ),
    IsInt({ message }),
    Min(least, { message }),
    Max(most, { message }),
  );
}

function OneOf(...values: readonly string[]): PropertyDecorator {
  const named = values.length === 2 ? `"${values.join('" or "')}"` : `one of ${values.join(', ')}`;
  return decorated(IsIn(values, { message: `must be ${named}` }), Text());
}

function Passes(message: string, validate: (text: string) => boolean): PropertyDecorator {
  return ValidateBy({ name: message, validator: { validate, defaultMessage: () => message } });
}

/** An http or https URL without user information. */
const WEB_URL = /^https?:\/\/[A-Za-z0-9\-._~:[\]]+(?:[/?#][A-Za-z0-9\-._~:/?#[\]@!$&'()*+,;=%]*)?$/i;

function decorated(...decorators: PropertyDecorator[]): PropertyDecorator {
  return (target, key) => {
    for (const decorate of decorators) decorate(target, key);
  };
}

/** The environment variables with their rules and defaults. `.env.example` describes them to operators. */
export class Environment {
  @WholeBetween(0, 65_535) PORT = 3000;
  @Text() HOST = '127.0.0.1';

  /** If unset, PORT serves the metrics, under `ACCESS=keys` only to keys with the scope `metrics`. */
  @WholeBetween(0, 65_535) METRICS_PORT?: number;

  @Text()
  DATABASE_URL?: string;

  @Text()
  READ_DATABASE_URL?: string;

  @OneOf('on', 'off') MIGRATE = 'on';

  @Text() DATA_DIR = '.data';

  @Text() NAMING_AUTHORITIES?: string;

  @Text() RESOLVER_SCHEME = 'http';
  @Text() RESOLVER_AUTHORITY = 'hdl.handle.net';
  @Text() RESOLVER_FIRST_SEGMENT?: string;

  @WholeBetween(0, 31_536_000) REDIRECT_MAX_AGE_SECONDS = 60;
  /** Default: `REDIRECT_MAX_AGE_SECONDS`. */
  @WholeBetween(0, 31_536_000) REDIRECT_SHARED_MAX_AGE_SECONDS?: number;

  @Text()
  RESOLVER_UPSTREAM?: string;

  @Passes(
    `must be an http or https URL of at most ${MAX_LINKED_URL} characters`,
    (text) => text.length <= MAX_LINKED_URL && WEB_URL.test(text) && URL.canParse(text),
  )
  @Text()
  BLOCKED_BY_URL?: string;

  @Text()
  INTERFACES?: string;

  @OneOf('open', 'keys') ACCESS?: 'open' | 'keys';

  @Text() ALLOWED_HOSTS = '';

  @Passes(
    `must have at least ${MIN_DIFFERENT_CHARACTERS} different characters`,
    (text) => new Set(text).size >= MIN_DIFFERENT_CHARACTERS,
  )
  @MinLength(32, { message: 'must have at least 32 characters' })
  @Matches(/^[\x21-\x7e]+$/, { message: 'must consist of visible ASCII characters without spaces' })
  @Text()
  ADMIN_API_KEY?: string;

  @Text() ADMIN_API_KEY_FILE?: string;

  @OneOf('true', 'false') PUBLIC_READ = 'true';

  @OneOf(...PUBLIC_HISTORIES) PUBLIC_HISTORY = 'anonymous' as PublicHistory;

  @OneOf(...LOG_LEVELS) LOG_LEVEL = 'info';

  @OneOf(...LOGGED_ADDRESSES) LOG_ADDRESSES = 'truncated' as LoggedAddresses;

  @WholeBetween(0, 1_000_000) LOG_LINES_PER_SECOND = 2000;

  @WholeBetween(1, 1000) DATABASE_POOL_SIZE = 20;
  @WholeBetween(100, 600_000) DATABASE_CONNECT_TIMEOUT_MS = 5000;
  @WholeBetween(100, 86_400_000) RESERVATION_SWEEP_INTERVAL_MS = 30_000;
  @WholeBetween(100, 600_000) DATABASE_STATEMENT_TIMEOUT_MS = 9000;
  /** Default: no limit under open access, 600,000 with keys. */
  @WholeBetween(0, 100_000_000) RATE_LIMIT_PER_KEY_PER_MINUTE?: number;
  @WholeBetween(0, 100_000_000) RATE_LIMIT_PER_NAMING_AUTHORITY_PER_MINUTE = 0;
  @WholeBetween(0, 100_000_000) RATE_LIMIT_UNAUTHENTICATED_PER_MINUTE = 600;
  @WholeBetween(0, 1_000_000) MAX_CONCURRENT_PER_KEY?: number;
  @WholeBetween(0, 1_000_000) MAX_LONG_LIVED_PER_KEY?: number;
  @WholeBetween(0, 600_000) OVERLOAD_EVENT_LOOP_DELAY_MS = 1000;
  @WholeBetween(0, 1_000_000) OVERLOAD_WAITING_STATEMENTS = 1000;

  @Text() TRUSTED_PROXIES = '';

  @WholeBetween(1024, 268_435_456) BODY_LIMIT_BYTES = 16_777_216;
  @WholeBetween(1000, 600_000) REQUEST_TIMEOUT_MS = 30_000;
  @WholeBetween(1000, 600_000) RESPONSE_STALL_TIMEOUT_MS = 30_000;
  @WholeBetween(0, 999_999_999) RESPONSE_SPOOL_BYTES = 67_108_864;
  @WholeBetween(0, 10_000_000) RECORD_CACHE_ENTRIES = 100_000;
  @WholeBetween(0, 999_999_999) RECORD_CACHE_BYTES = 201_326_592;
  @WholeBetween(0, 600_000) SHUTDOWN_TIMEOUT_MS = 25_000;
  @WholeBetween(0, 300) SHUTDOWN_DELAY_SECONDS = 0;
}
