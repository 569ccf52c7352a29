/**
 * jest-light-runner in processes. Its channel is one for all processes: the configuration that one of them requests is sent to all that
 * have a test, and a process that does not listen yet waits for it for ever. Here each test has a channel of its own.
 */
import { once } from 'node:events';
import { createRunner } from 'jest-light-runner';

export default class UnitRunner extends createRunner({ runtime: 'child_process' }) {
  _pools = new Set();

  /** Ends the processes and waits for them: each writes what V8 counted when it exits, which the report of the coverage reads. */
  async runTests(...args) {
    await super.runTests(...args);
    const workers = [...this._pools].flatMap(({ threads }) => [...threads]);
    await Promise.all(workers.map(exitOf));
  }

  _runTest(test) {
    const { config } = test.context;
    const isFirst = !this._testRunners.has(config);
    const result = super._runTest(test);
    if (isFirst && this._runtime === 'child_process') {
      const runner = this._testRunners.get(config);
      this._pools.add(runner.pool);
      const workerData = { globalConfig: this._globalConfig, projectConfig: config, runtime: this._runtime };
      runner.run = ({ path }) => runner.pool.run(path, { channel: channelOf(workerData) });
    }
    return result;
  }
}

async function exitOf({ process, onUnexpectedExit }) {
  if (process.exitCode !== null || process.signalCode !== null) return;
  process.off('exit', onUnexpectedExit);
  const exit = once(process, 'exit');
  process.ref();
  process.disconnect();
  await exit;
}

/** Answers the request of the process that runs one test. */
function channelOf(workerData) {
  let send;
  return {
    onMessage: (listener) => (send = listener),
    postMessage: (message) => {
      if (message === 'jest-light-runner-get-worker-data') send({ type: 'jest-light-runner-worker-data', workerData });
    },
  };
}
