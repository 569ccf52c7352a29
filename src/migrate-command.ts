import { readDatabaseUrl } from './config/process-environment.js';
import { VERSION } from './config/version.js';
import { migrate, plannedMigrations } from './database/migrations.js';

/** Applies the migrations that the database lacks, and prints their names; with `plan`, only prints their SQL. @throws StartupError */
export async function migrateCommand({ plan }: { plan: boolean }): Promise<void> {
  const url = readDatabaseUrl();
  if (!plan) {
    const onWait = (reason: string) => {
      console.error(`The command waits for a server that accepts writes. ${reason}`);
    };
    const applied = await migrate(url, { onWait });
    for (const name of applied) console.log(`applied ${name}`);
    if (applied.length === 0) console.log(`The database has every migration of Mintmark ${VERSION}.`);
    return;
  }
  const planned = await plannedMigrations(url);
  console.log(
    planned.length === 0
      ? `-- The database has every migration of Mintmark ${VERSION}.`
      : '-- "mintmark migrate" applies each in one transaction, and records it in the table _prisma_migrations.',
  );
  for (const { name, sql } of planned) console.log(`\n-- ${name}\n${sql.trim()}`);
}
