import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import { ownTurn } from './own-turn.js';

const MAX_PIECE = 65_536;

/** Time after which other requests get a turn. */
const MAX_SLICE_MS = 10;

/** Sends `{"name":[…]}` and a newline. Pieces are serialized as the client reads. An error after the second piece ends the connection. */
export async function sendList(reply: FastifyReply, name: string, items: Items): Promise<void> {
  void reply.type('application/json; charset=utf-8');
  const pieces = piecesOf(name, items);
  const first = await pieces.next();
  const second = first.done === true ? first : await pieces.next();
  if (second.done === true) void reply.send(first.value ?? '');
  else void reply.send(Readable.from(chain([first.value ?? '', second.value], pieces), { objectMode: false }));
}

/** Sends a short list as one string, which the limit of unread responses counts. */
export async function sendShortList(reply: FastifyReply, name: string, items: Items): Promise<void> {
  const texts: string[] = [];
  for await (const item of items) texts.push(JSON.stringify(item));
  void reply.type('application/json; charset=utf-8').send(`{"${name}":[${texts.join(',')}]}\n`);
}

/** Returns `{"name":[…],…others}` and a newline. Other requests get turns while it is serialized. */
export async function listText(name: string, items: Items, others: object): Promise<string> {
  let text = '';
  for await (const piece of piecesOf(name, items, `],${JSON.stringify(others).slice(1)}`)) text += piece;
  return text;
}

type Items = Iterable<unknown> | AsyncIterable<unknown>;

async function* piecesOf(name: string, items: Items, end = ']}'): AsyncGenerator<string, undefined> {
  let piece = `{"${name}":[`;
  let separator = '';
  let since = performance.now();
  for await (const item of items) {
    piece += separator + JSON.stringify(item);
    separator = ',';
    if (piece.length >= MAX_PIECE) {
      yield piece;
      piece = '';
    } else if (performance.now() - since < MAX_SLICE_MS) continue;
    await ownTurn();
    since = performance.now();
  }
  yield `${piece}${end}\n`;
}

/** Removes each text before it is sent, because a generator keeps its arguments in memory, even when it has ended. */
async function* chain(first: string[], rest: AsyncIterable<string>): AsyncGenerator<string> {
  for (let text = first.shift(); text !== undefined; text = first.shift()) yield text;
  yield* rest;
}
