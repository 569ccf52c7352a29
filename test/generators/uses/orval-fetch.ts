const NDJSON = 'application/x-ndjson';

/** The function that orval's clients send requests by ("mutator"). */
export async function request<Result>(path: string, init: RequestInit): Promise<Result> {
  const isLines = new Headers(init.headers).get('content-type') === NDJSON;
  const body = isLines && typeof init.body === 'string' ? (JSON.parse(init.body) as string) : init.body;
  const response = await fetch((process.argv[2] ?? '') + path, { ...init, body: body ?? null });
  const { status, headers } = response;
  if (headers.get('content-type') === NDJSON) return { status, headers, stream: response } as Result;
  return { status, headers, data: await response.json() } as Result;
}
