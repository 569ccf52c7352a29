import { parseArgs } from 'node:util';

const USAGE = `npm run bench -- [--quick] [--only mint,lookup] [--large] [--rounds 5] [--seconds 8] [--write] [--profile FOLDER]

  --quick    short rounds and small tables: verifies that the benchmark works, without meaningful results
  --only     workloads whose names contain one of these texts
  --large    include look-ups among 10 million identifiers, which takes about 20 minutes to load
  --write    write the results to docs/reference/performance.md
  --profile  write a CPU profile of each Mintmark process to the folder (node --cpu-prof)`;

/** Parses the command line; if it is invalid, prints the usage and ends the process. */
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
      /** Identifiers for look-ups. */
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
