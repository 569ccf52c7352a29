#!/usr/bin/env node
import { rejectionOf } from './node-version.js';

const rejection = rejectionOf(process.versions.node);
if (rejection === null) void import('./command-line.js').then(({ runCommand }) => runCommand(process.argv.slice(2)));
else {
  console.error(rejection);
  process.exitCode = 1;
}
