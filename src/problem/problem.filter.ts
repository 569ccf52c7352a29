import { type ArgumentsHost, Catch, type ExceptionFilter } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { sendProblem } from './send-problem.js';

/** Converts errors to responses. An unexpected error is logged completely and returned without details. */
@Catch()
export class ProblemFilter implements ExceptionFilter {
  /** @param senderOf how the face of a request presents problems. */
  constructor(private readonly senderOf: (request: FastifyRequest) => typeof sendProblem = () => sendProblem) {}

  catch(error: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const request = http.getRequest<FastifyRequest>();
    this.senderOf(request)(error, request, http.getResponse<FastifyReply>());
  }
}
