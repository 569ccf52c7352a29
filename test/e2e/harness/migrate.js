// A process of its own, because Prisma's schema engine leaves a timer behind that would keep the test runner waiting.
import { migrate } from '../../../dist/database/migrations.js';

await migrate(process.argv[2]);
process.exit(0);
