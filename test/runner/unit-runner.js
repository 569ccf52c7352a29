/**
 * jest-light-runner in processes. Its channel is one for all processes: the configuration that one of them requests is sent to all that
 * have a test, and a process that does not listen yet waits for it for ever. Here each test has a channel of its own.
 */
import { createRunner } from 'jest-light-runner';

export default class UnitRunner extends createRunner({ runtime: 'child_process' }) {
  _runTest(test) {
    const { config } = test.context;
    const isFirst = !this._testRunners.has(config);
    const result = super._runTest(test);
    if (isFirst && this._runtime === 'child_process') {
      const runner = this._testRunners.get(config);
      const workerData = { globalConfig: this._globalConfig, projectConfig: config, runtime: this._runtime };
      runner.run = ({ path }) => runner.pool.run(path, { channel: channelOf(workerData) });
    }
    return result;
  }
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
