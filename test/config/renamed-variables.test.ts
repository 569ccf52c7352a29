import { describe, expect, it } from '@jest/globals';
import { readConfig } from '../../src/config/config.js';

describe('a variable by its former name', () => {
  it('is read, and reported with its current name', () => {
    const { interfaces, responseStallTimeoutMs, renamedVariables } = readConfig({
      FACES: 'resolver',
      ANSWER_STALL_TIMEOUT_MS: '5000',
    });
    expect([[...interfaces], responseStallTimeoutMs]).toEqual([['resolver'], 5000]);
    expect(renamedVariables.map(({ name, currentName }) => `${name} ${currentName}`)).toEqual([
      'FACES INTERFACES',
      'ANSWER_STALL_TIMEOUT_MS RESPONSE_STALL_TIMEOUT_MS',
    ]);
  });

  it('is rejected beside its current name', () => {
    expect(() => readConfig({ FACES: 'api', INTERFACES: 'api' })).toThrow(
      /FACES is the former name of INTERFACES, and both are set/,
    );
  });

  it('is no other variable', () => {
    expect(readConfig({ FACES: '', INTERFACES: 'api' }).renamedVariables).toEqual([]);
  });
});
