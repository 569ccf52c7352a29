import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import { ownTurn } from './own-turn.js';

const MAX_PIECE = 65_536;

/** Time after which other requests get a turn. */
const MAX_SLICE_MS = 10;

/** Sends `{"name":[…]}` and a newline. Pieces are serialized as the client reads. An error after the second piece ends the connection. */
export async function sendList(reply: FastifyReply, name: string, groups: Groups): Promise<void> {
  void reply.type('application/json; charset=utf-8');
  const pieces = piecesOf(name, groups);
  const first = await pieces.next();
  const second = first.done === true ? first : await pieces.next();
  if (second.done === true) void reply.send(first.value ?? '');
  else void reply.send(Readable.from(chain([first.value ?? '', second.value], pieces), { objectMode: false }));
}

/** Sends a short list as one string, which the limit of unread responses counts. */
export async function sendShortList(reply: FastifyReply, name: string, groups: Groups): Promise<void> {
  const texts: string[] = [];
  for await (const group of groups) texts.push(itemsText(group));
  void reply.type('application/json; charset=utf-8').send(`{"${name}":[${texts.join(',')}]}\n`);
}

/** Returns `{"name":[…],…others}` and a newline. Other requests get turns during the serialization. */
export async function listText(name: string, groups: Groups, others: object): Promise<string> {
  let text = '';
  for await (const piece of piecesOf(name, groups, `],${JSON.stringify(others).slice(1)}`)) text += piece;
  return text;
}

/** The items of a list, in groups that are serialized together, because one call for each item takes a third longer. No group is empty. */
type Groups = Iterable<readonly unknown[]> | AsyncIterable<readonly unknown[]>;

function itemsText(group: readonly unknown[]): string {
  return JSON.stringify(group).slice(1, -1);
}

async function* piecesOf(name: string, groups: Groups, end = ']}'): AsyncGenerator<string, undefined> {
  let piece = `{"${name}":[`;
  let separator = '';
  let since = performance.now();
  for await (const group of groups) {
    piece += separator + itemsText(group);
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
