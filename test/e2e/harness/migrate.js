// A separate process, because a timer of Prisma's schema engine would keep the test runner alive.
import { migrate } from '../../../dist/database/migrations.js';

await migrate(process.argv[2]);
process.exit(0);
