import { until } from './until.js';

/** The process of a standby that receives what is committed. */
export const WAL_RECEIVER = /walreceiver/;

/**
 * Runs `work` while the primary waits for a silent standby for a minute, so that Patroni does not choose another one,
 * and commits wait for the frozen one.
 */
export async function withoutStandbyChange(cluster, work) {
  const initial = await changeTimeout(cluster, '60s');
  try {
    return await work();
  } finally {
    await changeTimeout(cluster, initial);
  }
}

/** @returns the value before. */
async function changeTimeout(cluster, value) {
  const leader = await cluster.leader();
  const show = async () => (await leader.query('SHOW wal_sender_timeout'))[0].wal_sender_timeout;
  const initial = await show();
  await cluster.configure({ postgresql: { parameters: { wal_sender_timeout: value } } });
  const seconds = (text) => text.replace('1min', '60s');
  await until(`wal_sender_timeout is ${value}`, 20_000, async () => seconds(await show()) === seconds(value));
  return initial;
}
