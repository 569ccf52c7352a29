import { existsSync } from 'node:fs';
import { Command, InvalidArgumentError } from 'commander';
import { StartupError } from './config/startup-error.js';
import { VERSION } from './config/version.js';

const SETTINGS = `
Without a command, the service starts. The settings are environment variables, and those of the file .env in the working folder:
.env.example is a template with every variable, and docs/reference/configuration.md describes them.
`;

/** Runs a command of `mintmark`. Prints the message of a StartupError and sets the exit code 1; throws any other error. */
export async function runCommand(args: readonly string[]): Promise<void> {
  try {
    await commands().parseAsync(args.length === 0 ? ['serve'] : args, { from: 'user' });
  } catch (error) {
    if (!(error instanceof StartupError)) throw error;
    console.error(error.message);
    process.exitCode = 1;
  }
}

function commands(): Command {
  // Each command loads its modules when it runs.
  const program = new Command('mintmark')
    .description('Mintmark mints and registers persistent identifiers for repositories.')
    .version(VERSION, '--version', 'print the version')
    .helpOption('--help', 'print this text')
    .helpCommand(false)
    .addHelpText('after', SETTINGS)
    .showHelpAfterError('Settings are environment variables; --help prints the commands and options.');
  program
    .command('serve')
    .description('start the service, which stops with Ctrl-C or SIGTERM')
    .action(async () => {
      const bundle = new URL('service.js', import.meta.url);
      await import(existsSync(bundle) ? bundle.href : './service-process.js');
    });
  program
    .command('migrate')
    .description('apply the migrations that the database of DATABASE_URL lacks')
    .option('--plan', 'print their SQL, and change nothing')
    .action(async ({ plan = false }: { plan?: boolean }) => {
      const { migrateCommand } = await import('./migrate-command.js');
      await migrateCommand({ plan });
    });
  program
    .command('doctor')
    .description('examine the configuration and the database, and say what helps; writes nothing')
    .option('--records <n>', 'compare the records of this many random identifiers with their histories', countOf, 0)
    .option('--json', 'print the findings as JSON')
    .action(async ({ records, json = false }: { records: number; json?: boolean }) => {
      const { runDoctor } = await import('./doctor/doctor.js');
      process.exitCode = await runDoctor({ records, json });
    });
  program
    .command('version')
    .description('print the version')
    .action(() => {
      console.log(VERSION);
    });
  return program;
}

function countOf(text: string): number {
  if (!/^[0-9]{1,9}$/.test(text)) throw new InvalidArgumentError('It must be a whole number.');
  return Number(text);
}
