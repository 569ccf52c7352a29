import type { FastifyReply, FastifyRequest } from 'fastify';
import { notFoundAnswer } from '../../handle-values/index.js';
import { sendAnswer } from '../answers/send-answer.js';
import { handleOf } from '../entrance.js';

export interface HandleApiSettings {
  /** Whether writing requires a key. */
  readonly requiresKeys: boolean;
}

/** Answers requests below `/api/handles`. */
export class HandlesHandler {
  constructor(protected readonly settings: HandleApiSettings) {}

  readonly read = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> =>
    sendAnswer(reply, notFoundAnswer(handleOf(request.raw) ?? ''));
}
