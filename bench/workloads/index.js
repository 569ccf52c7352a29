import { batch } from './batch.js';
import { bulk } from './bulk.js';
import { floor } from './floor.js';
import { lookup } from './lookup.js';
import { mintAfterStreams } from './mint-after-streams.js';
import { mint, mintAlone } from './mint.js';
import { normalize } from './normalize.js';
import { replay } from './replay.js';
import { handles, resolve } from './resolve.js';
import { start } from './start.js';

/** All workloads, in the order of the report. */
export const WORKLOADS = [
  mint,
  mintAlone,
  mintAfterStreams,
  batch,
  bulk,
  replay,
  lookup,
  resolve,
  handles,
  normalize,
  floor,
  start,
];
