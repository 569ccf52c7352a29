// This file uses old syntax and imports nothing, because versions of Node.js that cannot run the service must be able to load it.

/** The oldest version of Node.js that runs the service, as in package.json. */
const OLDEST: readonly [number, number] = [20, 19];

/** @returns the sentence that rejects the version; null if it can run the service. */
export function rejectionOf(version: string): string | null {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (major > OLDEST[0] || (major === OLDEST[0] && minor >= OLDEST[1])) return null;
  return `Mintmark requires Node.js ${OLDEST.join('.')} or later; this is Node.js ${version}.`;
}
