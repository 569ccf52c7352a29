import { once } from 'node:events';
import { createServer } from 'node:net';

/** @returns ports that are free on every address of loopback. */
export async function freePorts(count) {
  const probes = Array.from({ length: count }, () => createServer().listen(0, '0.0.0.0'));
  await Promise.all(probes.map((probe) => once(probe, 'listening')));
  const ports = probes.map((probe) => probe.address().port);
  await Promise.all(probes.map((probe) => once(probe.close(), 'close')));
  return ports;
}
