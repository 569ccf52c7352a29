/** A preload module of the service, by which all names that differ in "twin1" and "twin2" alone have one digest. */
import { register } from 'node:module';

const HOOKS = `
  export async function load(url, context, next) {
    const loaded = await next(url, context);
    if (!/\\/dist\\/(registry\\/uuid|service)\\.js$/.test(url)) return loaded;
    const source = String(loaded.source);
    const changed = source.replace(/(hash\\d*\\(["']sha256["'], text\\d*)(, ["']hex["'])/, (_, call, rest) => call + ".replaceAll(/(twin)[12]/gi, '$1')" + rest);
    if (changed === source) throw new Error(url + ' has no digest');
    return { ...loaded, source: changed };
  }`;

register(`data:text/javascript,${encodeURIComponent(HOOKS)}`);
