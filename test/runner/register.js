/** Lets the unit tests, which run as modules of Node.js itself, be TypeScript and import the built service. */
import { register } from 'node:module';

process.setSourceMapsEnabled(true);
register('./hooks.js', import.meta.url);
