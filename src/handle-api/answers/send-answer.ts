import type { FastifyReply } from 'fastify';
import { type ApiAnswer, apiText } from '../../handle-values/index.js';

/** How a client wants an answer written. */
export interface Presentation {
  readonly pretty: boolean;
  /** The function of a script (JSONP); null for JSON. */
  readonly callback: string | null;
}

const COMPACT: Presentation = Object.freeze({ pretty: false, callback: null });

/** Sends a response in the format of Handle.Net, which ignores `Accept`. */
export function sendAnswer(
  reply: FastifyReply,
  { status, body }: ApiAnswer,
  { pretty, callback }: Presentation = COMPACT,
): FastifyReply {
  return sendText(reply, status, apiText(body, pretty, callback), callback !== null);
}

/** @param text JSON, or a script. It is not stored: the record or its absence may change at any time. */
export function sendText(reply: FastifyReply, status: number, text: string, isScript = false): FastifyReply {
  const type = isScript ? 'application/javascript;charset=utf-8' : 'application/json;charset=utf-8';
  return reply.code(status).headers({ 'content-type': type, 'cache-control': 'no-cache' }).send(text);
}
