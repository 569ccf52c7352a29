/** An HTTP response with its body. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The body as JSON; null without a body. */
  readonly body: any;
}

/** A client of one service, without behavior of its own. */
export class Client {
  /** @param namingAuthority under which `mint` mints by default. */
  constructor(
    readonly base: string,
    readonly namingAuthority = '100.102',
  ) {}

  get(path: string, headers: Record<string, string> = {}): Promise<Answer> {
    return this.send('GET', path, headers);
  }

  post(path: string, body: unknown, headers: Record<string, string> = {}): Promise<Answer> {
    return this.send('POST', path, { 'content-type': 'application/json', ...headers }, JSON.stringify(body));
  }

  /** Mints under its naming authority with default values. */
  mint(fields: object = {}, headers: Record<string, string> = {}): Promise<Answer> {
    return this.post('/identifiers', { namingAuthority: this.namingAuthority, ...fields }, headers);
  }

  async send(
    method: string,
    path: string,
    headers: Record<string, string>,
    body?: string | Uint8Array,
  ): Promise<Answer> {
    const answer = await fetch(this.base + path, { method, headers, ...(body === undefined ? {} : { body }) });
    const text = await answer.text();
    return { status: answer.status, headers: answer.headers, text, body: text === '' ? null : JSON.parse(text) };
  }
}

/** The status and the code of a response. */
export const coded = ({ status, body }: Answer) => [status, body?.code];
