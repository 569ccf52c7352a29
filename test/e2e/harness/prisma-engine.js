// Prisma's schema engine on the database of a URL: `apply COUNT` applies the first COUNT migrations, `diagnose` compares all
// with the database. Prints the result as JSON. A separate process, because a timer of the engine would keep the test
// runner alive.
import { shippedMigrations } from '../../../dist/database/shipped-migrations.js';
import { ALL_TABLES, migrationsList, withSchemaEngine } from '../../../scripts/schema-engine.js';

const [url, command, count] = process.argv.slice(2);
const list = await migrationsList((await shippedMigrations()).slice(0, count));
const result = await withSchemaEngine(url, (engine) =>
  command === 'apply'
    ? engine.applyMigrations({ migrationsList: list, filters: ALL_TABLES })
    : engine.diagnoseMigrationHistory({ migrationsList: list, optInToShadowDatabase: false, filters: ALL_TABLES }),
);
process.stdout.write(JSON.stringify(result), () => process.exit(0));
