import type { Config } from './config.js';

/** Who may write and read, as a sentence for operators. */
export function describeAccess({
  openAccessHosts,
  publicRead,
}: Pick<Config, 'openAccessHosts' | 'publicRead'>): string {
  if (openAccessHosts !== null) return 'Every program on this machine may write, without a key (ACCESS=open).';
  const readers = publicRead ? 'everyone may read (PUBLIC_READ=true)' : 'reading needs a key too (PUBLIC_READ=false)';
  return `Only clients with an API key may write (ACCESS=keys); ${readers}.`;
}
