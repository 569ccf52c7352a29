import type pg from 'pg';

/** A run-time parameter that is set when a session begins (PostgreSQL, "Server Configuration"). */
export interface SessionSetting {
  readonly name: string;
  readonly value: string | number;
  /** Whether a session without this setting is unusable. An optional setting is skipped if the server rejects it. */
  readonly required?: boolean;
}

/** With these settings, the server ends the session of a lost client, which could hold locks and delay the event feed for hours. */
export const DEAD_CLIENT_SETTINGS: readonly SessionSetting[] = [
  { name: 'tcp_keepalives_idle', value: 10 },
  { name: 'tcp_keepalives_interval', value: 5 },
  { name: 'tcp_keepalives_count', value: 2 },
  // In milliseconds. This limit applies while data awaits acknowledgment, when no keepalives are sent.
  { name: 'tcp_user_timeout', value: 20_000 },
  { name: 'client_connection_check_interval', value: 5000 },
];

/** Statements and the text form of values need these settings, which override those of the server, database, role and URL. */
export const VALUE_SETTINGS: readonly SessionSetting[] = [
  { name: 'default_transaction_isolation', value: "'read committed'", required: true },
  { name: 'DateStyle', value: "'ISO, MDY'", required: true },
  { name: 'IntervalStyle', value: 'postgres', required: true },
  { name: 'TimeZone', value: 'UTC', required: true },
  { name: 'array_nulls', value: 'on', required: true },
  { name: 'bytea_output', value: 'hex', required: true },
  { name: 'extra_float_digits', value: 1, required: true },
];

/** Maximum time that a session is idle in a transaction. No transaction waits for a client of the service. */
const IDLE_IN_TRANSACTION_MS = 10_000;

export function poolSettings(planCacheMode: 'auto' | 'force_generic_plan'): SessionSetting[] {
  return [
    ...VALUE_SETTINGS,
    // Overrides defaults of the server, the role and the URL, because acknowledged writes must be durable.
    { name: 'synchronous_commit', value: 'on', required: true },
    // If the wait of a commit for the standby is canceled, PostgreSQL reports success and a warning, which the client must receive.
    { name: 'client_min_messages', value: 'warning', required: true },
    { name: 'plan_cache_mode', value: planCacheMode, required: true },
    // JIT compilation would take longer than these statements, which read few rows by an index.
    { name: 'jit', value: 'off' },
    // A session keeps its generic plans. A plan that was made while a table was empty would scan the whole table later.
    ...(planCacheMode === 'force_generic_plan' ? [{ name: 'enable_seqscan', value: 'off' }] : []),
    { name: 'idle_in_transaction_session_timeout', value: IDLE_IN_TRANSACTION_MS },
    ...DEAD_CLIENT_SETTINGS,
  ];
}

/** SQLSTATEs of a setting that is unknown, not permitted, invalid, unsupported or fixed while the server runs. */
const REJECTED = new Set(['42704', '42501', '22023', '0A000', '55P02']);

export class SessionSettings {
  private readonly rejected = new Set<string>();

  constructor(
    private readonly settings: readonly SessionSetting[],
    private readonly reportRejected: (name: string, reason: string) => void,
  ) {}

  /** Sends all settings in one request or, if one setting is rejected, one by one. @throws the error of a rejected required setting. */
  async apply(client: Pick<pg.ClientBase, 'query'>): Promise<void> {
    const settings = this.settings.filter(({ name }) => !this.rejected.has(name));
    try {
      await client.query(settings.map(setSql).join('; '));
    } catch (error) {
      if (!isRejection(error)) throw error;
      // The request was one transaction, so no setting took effect.
      for (const setting of settings) await this.applyOne(client, setting);
    }
  }

  private async applyOne(client: Pick<pg.ClientBase, 'query'>, setting: SessionSetting): Promise<void> {
    try {
      await client.query(setSql(setting));
    } catch (error) {
      if (setting.required === true || !isRejection(error)) throw error;
      if (this.rejected.has(setting.name)) return;
      this.rejected.add(setting.name);
      this.reportRejected(setting.name, error.message);
    }
  }
}

const setSql = ({ name, value }: SessionSetting): string => `SET ${name} = ${value}`;

function isRejection(error: unknown): error is Error {
  return error instanceof Error && REJECTED.has((error as { code?: string }).code ?? '');
}
