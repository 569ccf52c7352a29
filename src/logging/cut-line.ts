/** The longest line of the log, in octets, its line feed included. */
export const MAX_LINE_OCTETS = 2048;

const TEXT_LENGTHS = [1024, 512, 256, 128, 64, 32];

const ESSENTIAL = ['level', 'time', 'reqId', 'msg'];

/** Truncates the texts of a JSON line to 2 KB in total: clients choose the length of URLs and headers. */
export function cutLine(line: string, escape: (line: string) => string): string {
  const whole = escape(line);
  if (fits(whole)) return whole;
  const entry = JSON.parse(line) as Record<string, unknown>;
  const rest = Object.fromEntries(ESSENTIAL.map((name) => [name, entry[name]]));
  for (const shown of [entry, rest]) {
    for (const length of TEXT_LENGTHS) {
      const cut = escape(`${JSON.stringify(shown, (_, value: unknown) => cutText(value, length))}\n`);
      if (fits(cut)) return cut;
    }
  }
  throw new TypeError('four short texts fit into a line');
}

function fits(line: string): boolean {
  return line.length <= MAX_LINE_OCTETS && Buffer.byteLength(line) <= MAX_LINE_OCTETS;
}

function cutText(value: unknown, length: number): unknown {
  if (typeof value !== 'string' || value.length <= length) return value;
  return `${value.slice(0, length).toWellFormed()}…`;
}
