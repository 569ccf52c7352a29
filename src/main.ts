import { replyTo } from './command-line.js';

const reply = replyTo(process.argv.slice(2), process.versions.node);
if (reply === null) void import('./service-process.js');
else {
  (reply.exitCode === 0 ? process.stdout : process.stderr).write(reply.text);
  process.exitCode = reply.exitCode;
}
