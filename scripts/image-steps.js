// Runs the steps of the Dockerfile without a container engine: each stage is a folder, in which COPY and RUN work.
//   node scripts/image-steps.js FOLDER             all stages, in the empty folder FOLDER
//   node scripts/image-steps.js FOLDER FILE.tgz    the same, with FILE.tgz as the package that the stage "pack" would make
// Prints the last stage as JSON, with its folders, environment, user, command and health check.
import { execFileSync } from 'node:child_process';
import { copyFileSync, cpSync, existsSync, mkdirSync, readFileSync, readdirSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../', import.meta.url));

export function instructionsOf(text) {
  const lines = text.replace(/^#.*\n/gm, '').replace(/\\\n\s*/g, '');
  return [...lines.matchAll(/^([A-Z]+) (.+)$/gm)].map(([, name, value]) => ({ name, value }));
}

function runSteps(folder, packed) {
  const stages = new Map();
  let stage;
  for (const { name, value } of instructionsOf(readFileSync(join(root, 'Dockerfile'), 'utf8'))) {
    if (name === 'FROM') {
      const [, label = 'image'] = /^\S+(?: AS (\S+))?$/.exec(value);
      stage = { label, root: join(folder, label), env: {} };
      stages.set(label, stage);
    } else if (name === 'WORKDIR') {
      stage.folder = join(stage.root, value);
      mkdirSync(stage.folder, { recursive: true });
    } else if (name === 'ENV') {
      for (const pair of value.split(' ')) stage.env[pair.split('=')[0]] = pair.split('=')[1];
    } else if (name === 'USER') stage.user = value;
    else if (name === 'CMD') stage.command = JSON.parse(value);
    else if (name === 'HEALTHCHECK') stage.healthCheck = JSON.parse(value.replace(/^.*? CMD /, ''));
    else if (stage.label === 'pack' && packed !== undefined) {
      if (name === 'COPY') copyFileSync(packed, join(stage.folder, basename(packed)));
    } else if (name === 'COPY') copy(value, stage, stages);
    else if (name === 'RUN') run(value, stage);
    else if (!['LABEL', 'EXPOSE'].includes(name)) throw new Error(`the instruction ${name} is unknown`);
  }
  return stage;
}

function run(command, { folder, env }) {
  console.error(`RUN ${command}`);
  execFileSync('sh', ['-ec', command], { cwd: folder, env: { ...process.env, ...env }, stdio: ['ignore', 2, 2] });
}

function copy(value, { folder }, stages) {
  const [, from, source, target] = /^(?:--from=(\S+) )?(\S+) (\S+)$/.exec(value);
  const to = join(folder, target);
  if (from === undefined) return copyContext(to);
  const path = join(stages.get(from).root, source);
  const pattern = new RegExp(`^${basename(path).replaceAll('.', '\\.').replace('*', '.*')}$`);
  const [found, ...others] = readdirSync(dirname(path)).filter((name) => pattern.test(name));
  if (found === undefined || others.length > 0) throw new Error(`${source} names not one file but ${found} ${others}`);
  cpSync(join(dirname(path), found), to, { recursive: true, verbatimSymlinks: true });
}

/** Copies what .dockerignore does not exclude: the names after "!", without the paths that the file lists without "!". */
function copyContext(to) {
  const lines = readFileSync(join(root, '.dockerignore'), 'utf8').split('\n');
  const kept = lines.filter((line) => line.startsWith('!')).map((line) => line.slice(1));
  const left = lines.filter((line) => /^[a-z]/.test(line)).map((line) => line.replaceAll('*', '[^/]*'));
  const isLeft = new RegExp(`^(${left.join('|')})$`);
  const filter = (path) => !isLeft.test(path.slice(root.length));
  for (const name of kept.filter((each) => existsSync(join(root, each)))) {
    cpSync(join(root, name), join(to, name), { recursive: true, filter });
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [folder, packed] = process.argv.slice(2).map((path) => resolve(path));
  console.log(JSON.stringify(runSteps(folder, packed)));
}
