import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';

/** Files that the test needs, and the Debian packages that have them. */
const FILES = {
  '/usr/bin/patroni': 'patroni',
  '/usr/lib/python3/dist-packages/etcd': 'python3-etcd',
  '/usr/bin/etcd': 'etcd-server',
  '/usr/sbin/haproxy': 'haproxy',
  '/usr/lib/postgresql/15/bin/postgres': 'postgresql-15',
};

const missing = () => Object.keys(FILES).filter((file) => !existsSync(file));

/** Installs Debian's packages where they are missing, as root. @returns whether all exist. */
export function requirePackages() {
  if (missing().length > 0 && process.getuid?.() === 0 && existsSync('/usr/bin/apt-get')) {
    install(missing().map((file) => FILES[file]));
  }
  const left = missing();
  if (left.length === 0) return true;
  const packages = left.map((file) => FILES[file]).join(' ');
  console.log(
    `The tests of failovers were skipped: ${left.join(', ')} missing. Install Debian 12's packages: apt-get install ${packages}`,
  );
  return false;
}

const POLICY = '/usr/sbin/policy-rc.d';
const CREATE_CLUSTER = '/etc/postgresql-common/createcluster.conf';

/** The packages start no service and create no cluster of their own. */
function install(packages) {
  console.log(`apt-get install ${packages.join(' ')}`);
  if (!existsSync(CREATE_CLUSTER)) {
    mkdirSync('/etc/postgresql-common', { recursive: true });
    writeFileSync(CREATE_CLUSTER, 'create_main_cluster = false\n');
  }
  const hasPolicy = existsSync(POLICY);
  if (!hasPolicy) writeFileSync(POLICY, '#!/bin/sh\nexit 101\n', { mode: 0o755 });
  try {
    const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
    const apt = (...args) => spawnSync('apt-get', args, { stdio: ['ignore', 'ignore', 'inherit'], env }).status;
    if (apt('update', '-q') === 0) apt('install', '-qy', '--no-install-recommends', ...packages);
  } finally {
    if (!hasPolicy) rmSync(POLICY);
  }
}
