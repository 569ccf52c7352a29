import type { FastifyReply, FastifyRequest } from 'fastify';
import { RESPONSE_CODE } from '../../handle-values/index.js';
import { sendAnswer } from '../answers/send-answer.js';

const DEFAULT_PORTS: Readonly<Record<string, number>> = { http: 80, https: 443 };

/** `GET /api/site`: one server with one interface, at the address by which the client has reached it. */
export function sendSite(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const { protocol, hostname, port } = request;
  const site = {
    version: 1,
    protocolVersion: '2.11',
    serialNumber: 1,
    primarySite: true,
    multiPrimary: false,
    attributes: [{ name: 'desc', value: 'Mintmark' }],
    servers: [
      {
        serverId: 1,
        address: hostname,
        interfaces: [
          { query: true, admin: true, protocol: protocol.toUpperCase(), port: port ?? DEFAULT_PORTS[protocol] },
        ],
      },
    ],
  };
  return sendAnswer(reply, { status: 200, body: { responseCode: RESPONSE_CODE.success, site } });
}
