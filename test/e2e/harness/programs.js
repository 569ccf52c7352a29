import { fileURLToPath } from 'node:url';

const programOf = (name) => fileURLToPath(new URL(`../../../dist/${name}`, import.meta.url));

/** The published program. */
export const PUBLISHED = programOf('main.js');

/**
 * What starts the service. `npm run coverage -- --all` counts its modules, whose sources are known, in place of the one file that has all
 * of them.
 */
export const SERVICE = process.env.SERVICES_COVERED === '1' ? programOf('service-process.js') : PUBLISHED;
