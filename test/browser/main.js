// Runs the tests of pages in Chromium. As root on Debian it installs the package chromium if there is none.
//   --if-possible   without Chromium: say why and succeed
//   --pictures      write docs/pictures/
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../', import.meta.url));
const options = process.argv.slice(2);
const PATHS = [process.env.CHROMIUM ?? '', '/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
const find = () => PATHS.find((path) => path !== '' && existsSync(path));

function install() {
  if (process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get')) return;
  console.log('Installing Chromium: apt-get install chromium');
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const apt = (...args) => spawnSync('apt-get', args, { stdio: ['ignore', 'ignore', 'inherit'], env }).status;
  if (apt('update', '-q') === 0) apt('install', '-qy', '--no-install-recommends', 'chromium');
}

if (find() === undefined) install();
const chromium = find();
if (chromium === undefined) {
  console.log(
    'The tests of pages were skipped: Chromium is missing. Install it (apt-get install chromium), or set CHROMIUM to its path.',
  );
  process.exit(options.includes('--if-possible') ? 0 : 1);
}

const jest = ['--experimental-vm-modules', '--disable-warning=ExperimentalWarning', 'node_modules/jest/bin/jest.js'];
const { status } = spawnSync(process.execPath, [...jest, '--config', 'jest.pages.config.js'], {
  cwd: root,
  stdio: 'inherit',
  env: { ...process.env, CHROMIUM: chromium, PAGE_PICTURES: options.includes('--pictures') ? '1' : '' },
});
process.exitCode = status ?? 1;
