/** A body of lines (NDJSON). */
export function linesOf(values: readonly object[]): string {
  return values.map((value) => `${JSON.stringify(value)}\n`).join('');
}

/** The lines of a text, each as the type that the document names for it. */
export function readLines<Line>(text: string): Line[] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Line);
}

/** Reads a stream of lines as they arrive. */
export async function* streamLines<Line>(body: ReadableStream<Uint8Array> | null): AsyncGenerator<Line> {
  if (body === null) throw new Error('the response has no body');
  const decoder = new TextDecoder();
  let rest = '';
  for await (const bytes of body as unknown as AsyncIterable<Uint8Array>) {
    const lines = (rest + decoder.decode(bytes, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) if (line !== '') yield JSON.parse(line) as Line;
  }
}

/** Prints what a client did, for main.js. */
export function report(done: {
  minted: string;
  listed: (string | undefined)[];
  exported: string[];
  streamed: { line: number; status: number; identifier?: string | undefined; code?: string | undefined }[];
  rejected: string | undefined;
}): void {
  console.log(JSON.stringify(done));
}
