import { migrate } from '../../../dist/database/migrations.js';
import { Postgres } from './postgres.js';

/** A migrated database whose server can be replaced by a copy of an earlier state, on the same port. */
export interface FailingOver {
  readonly url: string;
  /** Stops the server, copies its data folder as that of a standby that receives nothing more, and starts it again. */
  standBy(): Promise<void>;
  /** Stops the server, and starts the last copy in its place, in recovery. */
  standIn(): Promise<void>;
  /** Promotes it: it has a new timeline and the transactions of the time of the copy. */
  promote(): Promise<void>;
  /** Stops the server, and starts the last copy as if it were the data folder: a restored backup, without a new timeline. */
  restore(): Promise<void>;
  restart(): Promise<void>;
  stop(): Promise<void>;
}

export async function startFailingOver(): Promise<FailingOver> {
  const server = await Postgres.start();
  await migrate(server.url);
  let copy = '';
  return {
    url: server.url,
    standBy: async () => {
      await server.halt('fast');
      copy = await server.copy();
      await server.launch();
    },
    standIn: async () => {
      await server.halt();
      server.data = copy;
      await server.launchAs('standby');
    },
    promote: () => server.promote(),
    restore: async () => {
      await server.halt('fast');
      server.data = copy;
      await server.launch();
    },
    restart: async () => {
      await server.halt('fast');
      await server.launch();
    },
    stop: () => server.stop(),
  };
}
