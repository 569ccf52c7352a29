import { parseArgs } from 'node:util';

const USAGE = `npm run bench -- [--quick] [--only mint,lookup] [--large] [--rounds 5] [--seconds 8] [--write] [--profile FOLDER]

  --quick    short rounds and small tables: shows that everything works, not how fast it is
  --only     names of works, parts of them too
  --large    also looks up in 10 million identifiers (loads them first: about 20 minutes)
  --write    puts the results into docs/reference/performance.md
  --profile  leaves a CPU profile of each Mintmark process there (node --cpu-prof)`;

/** @returns what the command line asks for; ends the process when it asks for help or for nonsense. */
export function readOptions() {
  try {
    const { values } = parseArgs({
      options: {
        quick: { type: 'boolean', default: false },
        only: { type: 'string' },
        large: { type: 'boolean', default: false },
        rounds: { type: 'string' },
        seconds: { type: 'string' },
        write: { type: 'boolean', default: false },
        profile: { type: 'string' },
      },
    });
    return {
      ...values,
      only: values.only?.split(',') ?? [''],
      rounds: whole(values.rounds, values.quick ? 2 : 5),
      seconds: whole(values.seconds, values.quick ? 2 : 8),
      warmUpSeconds: values.quick ? 1 : 3,
      /** Identifiers of the look-ups, and lines of the bulk load. */
      identifiers: values.quick ? 100_000 : 1_000_000,
      bulkLines: values.quick ? 50_000 : 1_000_000,
    };
  } catch (error) {
    console.error(`${error.message}\n\n${USAGE}`);
    process.exit(2);
  }
}

function whole(text, otherwise) {
  if (text === undefined) return otherwise;
  if (/^[1-9][0-9]{0,4}$/.test(text)) return Number(text);
  throw new Error(`"${text}" is not a whole number`);
}
