import { chown, mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Deployment, MEMBERS } from './deployment.js';
import { Member, query } from './member.js';
import { clusterAccount, killAllIn, start } from './processes.js';
import { until } from './until.js';

/** etcd, three members of Patroni and HAProxy, from the files of `deploy/patroni/`, in a temporary folder. */
export class Cluster {
  static async create() {
    const folder = await mkdtemp(join(tmpdir(), 'mintmark-failover-'));
    const account = clusterAccount();
    if (account !== null) await chown(folder, account.uid, account.gid);
    const deployment = await Deployment.create(folder);
    const members = [];
    for (const [index, host] of MEMBERS.entries()) {
      members.push(await Member.create(folder, deployment, account, host, index));
    }
    return new Cluster(folder, account, deployment, members);
  }

  constructor(folder, account, deployment, members) {
    this.folder = folder;
    this.account = account;
    this.deployment = deployment;
    this.members = members;
  }

  /** Starts everything, and creates the role and the database of the service. */
  async start() {
    const { folder, account, deployment } = this;
    start(folder, 'etcd', '/usr/bin/etcd', [], { account, env: await deployment.etcd() });
    await until('etcd is healthy', 20_000, async () => (await fetch(`${deployment.etcdUrl}/health`)).ok);
    const [first, ...others] = this.members;
    first.start();
    await until('the first member is primary', 60_000, async () => (await this.leader()) === first);
    for (const member of others) member.start();
    const config = join(folder, 'haproxy.cfg');
    await writeFile(config, await deployment.haproxy());
    start(folder, 'haproxy', '/usr/sbin/haproxy', ['-db', '-f', config], { account });
    await this.whole();
    await query(
      this.url('postgres', 'replace-superuser', 'postgres'),
      "CREATE ROLE mintmark LOGIN PASSWORD 'mintmark'",
    );
    await query(this.url('postgres', 'replace-superuser', 'postgres'), 'CREATE DATABASE mintmark OWNER mintmark');
  }

  /** A URL of HAProxy that leads to the primary. */
  url(user = 'mintmark', password = 'mintmark', database = 'mintmark') {
    return `postgresql://${user}:${password}@127.0.0.1:${this.deployment.ports.primary}/${database}`;
  }

  /** A URL of HAProxy that leads to a standby. */
  get replicaUrl() {
    return `postgresql://mintmark:mintmark@127.0.0.1:${this.deployment.ports.replicas}/mintmark`;
  }

  /** The member that Patroni calls primary, or undefined. */
  async leader() {
    const roles = await Promise.all(
      this.members.map(async (member) => {
        try {
          return (await member.rest('GET', '/primary')).status === 200;
        } catch {
          return false;
        }
      }),
    );
    return this.members.find((_, index) => roles[index]);
  }

  /** The member that commits wait for, by the primary. */
  async synchronousStandby() {
    const leader = await this.leader();
    const [row] = await leader.query("SELECT application_name FROM pg_stat_replication WHERE sync_state = 'sync'");
    return this.members.find(({ name }) => name === row?.application_name);
  }

  /**
   * Waits until all members stream from one primary, and, if `synchronous`, commits wait for one of them that may take
   * over: Patroni promotes only a standby that it has noted in etcd as synchronous.
   */
  async whole(synchronous = true) {
    await until(`three members, ${synchronous ? 'one of them synchronous' : 'asynchronous'}`, 60_000, async () => {
      const leader = await this.leader();
      const rows = await leader.query(
        "SELECT application_name FROM pg_stat_replication WHERE state = 'streaming' AND application_name LIKE 'db_'",
      );
      if (rows.length !== this.members.length - 1) return false;
      const standby = await this.synchronousStandby();
      if (!synchronous) return standby === undefined;
      return standby !== undefined && (await standby.rest('GET', '/synchronous')).ok;
    });
  }

  /** Changes the dynamic configuration, as `patronictl edit-config` does. */
  async configure(change) {
    const leader = await this.leader();
    const response = await leader.rest('PATCH', '/config', change);
    if (!response.ok) throw new Error(`PATCH /config was answered ${response.status}: ${await response.text()}`);
  }

  /** Ends all processes that the cluster started, also those that it daemonized. */
  kill() {
    killAllIn(this.folder);
  }
}
