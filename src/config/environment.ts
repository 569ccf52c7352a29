import 'reflect-metadata';
import { Expose, Transform } from 'class-transformer';
import { IsIn, IsInt, IsNotEmpty, IsOptional, Matches, Max, Min, MinLength } from 'class-validator';

/** Reads an unset or empty variable as "not given", so that `PORT=` in a file means the default. */
const Given = (): PropertyDecorator =>
  Transform(({ value }: { value: unknown }) => (value === '' || value === undefined ? undefined : value));

/** Reads a whole number; anything else stays text, for the validator to refuse. */
const Whole = (): PropertyDecorator =>
  Transform(({ value }: { value: unknown }) => {
    if (value === '' || value === undefined) return undefined;
    return typeof value === 'string' && /^[0-9]{1,9}$/.test(value) ? Number(value) : value;
  });

function WholeBetween(least: number, most: number): PropertyDecorator {
  const message = `must be a whole number from ${least} to ${most}`;
  return (target, key) => {
    for (const decorate of [Expose(), Whole(), IsOptional(), IsInt({ message }), Min(least, { message })]) {
      decorate(target, key);
    }
    Max(most, { message })(target, key);
  };
}

/**
 * The environment variables of the service, as text or numbers, each with its rule. `.env.example` describes them to
 * operators; `config.ts` turns them into what the service works with.
 */
export class Environment {
  /** 0 asks the system for a free port. */
  @WholeBetween(0, 65_535) PORT?: number;
  @Expose() @Given() @IsOptional() @IsNotEmpty() HOST?: string;

  @Expose()
  @Given()
  @IsOptional()
  @Matches(/^postgres(ql)?:\/\//, { message: 'must be an address that starts with postgresql://' })
  DATABASE_URL?: string;

  @Expose() @Given() @IsOptional() @IsNotEmpty() DATA_DIR?: string;

  /** Comma list; each naming authority is checked by the syntax core. */
  @Expose() @Given() @IsOptional() NAMING_AUTHORITIES?: string;

  /** The HTTP resolver (URI-36); its parts are checked together by the syntax core. */
  @Expose() @Given() @IsOptional() RESOLVER_SCHEME?: string;
  @Expose() @Given() @IsOptional() RESOLVER_AUTHORITY?: string;
  @Expose() @Given() @IsOptional() RESOLVER_FIRST_SEGMENT?: string;

  @Expose() @Given() @IsOptional() @IsIn(['open', 'keys'], { message: 'must be "open" or "keys"' }) ACCESS?: string;

  @Expose()
  @Given()
  @IsOptional()
  @MinLength(32, { message: 'must have at least 32 characters' })
  @Matches(/^[\x21-\x7e]+$/, { message: 'must be visible ASCII without spaces' })
  ADMIN_API_KEY?: string;

  @Expose()
  @Given()
  @IsOptional()
  @IsIn(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'], {
    message: 'must be one of fatal, error, warn, info, debug, trace, silent',
  })
  LOG_LEVEL?: string;

  @WholeBetween(1, 1000) DATABASE_POOL_SIZE?: number;
  @WholeBetween(100, 600_000) DATABASE_CONNECT_TIMEOUT_MS?: number;
  @WholeBetween(100, 600_000) DATABASE_STATEMENT_TIMEOUT_MS?: number;
  @WholeBetween(1024, 268_435_456) BODY_LIMIT_BYTES?: number;
  @WholeBetween(1000, 600_000) REQUEST_TIMEOUT_MS?: number;
  @WholeBetween(0, 600_000) SHUTDOWN_TIMEOUT_MS?: number;
}
