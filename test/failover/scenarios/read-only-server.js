import { setTimeout as pause } from 'node:timers/promises';
import { Requests } from '../requests.js';
import { NAMING_AUTHORITY, startReplica } from '../service.js';
import { SwitchedProxy } from '../switched-proxy.js';
import { until } from '../until.js';

export const title = 'the database of a replica has become a standby';

const mint = (target) => ({
  method: 'POST',
  path: '/identifiers',
  body: { namingAuthority: NAMING_AUTHORITY, target },
  headers: { 'Idempotency-Key': `"${crypto.randomUUID()}"` },
});

const READY = { path: '/health/ready' };

export async function run({ cluster }, check) {
  await cluster.whole();
  const [leader, standby] = [await cluster.leader(), await cluster.synchronousStandby()];
  const { postgres: port } = cluster.deployment.ports;
  const proxy = await SwitchedProxy.to(leader.address, port);
  try {
    const url = `postgresql://mintmark:mintmark@127.0.0.1:${proxy.port}/mintmark`;
    const requests = new Requests([await startReplica(cluster.folder, 'service3', { url })]);
    const minted = await requests.send('write', mint('https://objects.example.org/read-only'));
    const path = `/identifiers/${minted.body.identifier}`;
    await pause(1000);

    proxy.switchTo(standby.address, port);
    // What was open breaks once; from then on every answer is that of a standby.
    await requests.send('first', { path });
    const rejected = await until('readiness is 503', 15_000, async () => {
      const answer = await requests.send('ready', READY);
      return answer.status === 503 && answer;
    }).catch(() => requests.send('ready', READY));
    check.equal('readiness', rejected.status, 503);
    const words = JSON.stringify(rejected.body);
    check.note(words);
    check.equal('readiness names the cause', /read-only|recovery|standby/i.test(words), true);

    const answers = { mint: [], read: [], redirect: [] };
    for (let round = 0; round < 10; round++) {
      answers.mint.push(await requests.send('write', mint(`https://objects.example.org/read-only/${round}`)));
      answers.read.push(await requests.send('read', { path }));
      answers.redirect.push(await requests.send('read', { path: `/${minted.body.identifier}` }));
    }
    const different = (kind) => [...new Set(answers[kind].map(({ status }) => status))].join(', ');
    check.equal('statuses of mints', different('mint'), '503');
    check.equal('statuses of look-ups', different('read'), '200');
    check.equal('statuses of redirects', different('redirect'), '302');
    check.equal('responses 500', requests.answers.filter(({ status }) => status === 500).length, 0);

    proxy.switchTo(leader.address, port);
    const end = performance.now() + 15_000;
    const again = await requests.acknowledge(
      'write',
      mint('https://objects.example.org/writable'),
      () => performance.now() < end,
    );
    check.equal('mints succeed at the primary again', again?.status, 201);
    await until('readiness is 200', 15_000, async () => (await requests.send('ready', READY)).status === 200);
  } finally {
    proxy.close();
  }
}
