/** A preload module of the service, by which all names that differ in "twin1" and "twin2" alone have one digest. */
import { register } from 'node:module';

const HOOKS = `
  export async function load(url, context, next) {
    const loaded = await next(url, context);
    if (!url.endsWith('/dist/registry/uuid.js')) return loaded;
    const source = String(loaded.source);
    const changed = source.replace("hash('sha256', text,", "hash('sha256', text.replaceAll(/(twin)[12]/gi, '$1'),");
    if (changed === source) throw new Error('dist/registry/uuid.js has no digest');
    return { ...loaded, source: changed };
  }`;

register(`data:text/javascript,${encodeURIComponent(HOOKS)}`);
