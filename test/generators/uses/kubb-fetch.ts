/** The client that kubb's functions send requests by (`importPath`). */
export interface RequestConfig<Data = unknown> {
  url?: string;
  method?: string;
  params?: unknown;
  data?: Data | FormData;
  headers?: Record<string, unknown>;
  responseType?: 'json' | 'text' | 'stream';
}

export type ResponseErrorConfig<Fault = unknown> = Fault;

export interface ResponseConfig<Data> {
  data: Data;
  status: number;
  headers: Headers;
}

export type Client = <Data, _Fault = unknown, Sent = unknown>(
  config: RequestConfig<Sent>,
) => Promise<ResponseConfig<Data>>;

const client: Client = async <Data>(config: RequestConfig): Promise<ResponseConfig<Data>> => {
  const url = new URL(config.url ?? '/', process.argv[2]);
  for (const [name, value] of Object.entries(config.params ?? {})) {
    if (value !== undefined) url.searchParams.set(name, String(value));
  }
  const headers = new Headers({ 'Content-Type': 'application/json' });
  for (const [name, value] of Object.entries(config.headers ?? {})) {
    if (value !== undefined) headers.set(name, String(value));
  }
  const body = typeof config.data === 'string' ? config.data : JSON.stringify(config.data);
  const response = await fetch(url, { method: config.method ?? 'GET', headers, ...(body !== undefined && { body }) });
  if (!response.ok) throw new Error(`status ${response.status}`, { cause: await response.json() });
  const data = config.responseType === 'text' ? await response.text() : await response.json();
  return { data: data as Data, status: response.status, headers: response.headers };
};

export default client;
