import { routeSettings } from '../http/route-settings.js';
import { SCOPES, type Scope } from './principal.js';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** A request needs one of these scopes. The list is empty for a public route. */
    scopes?: readonly Scope[];
    showsHistory?: boolean;
    /** Whether a request needs a key even when reading is public. */
    needsKey?: boolean;
  }
}

/** Declares the scopes of a route, one of which suffices; the services check grants. */
export const Requires = (...scopes: [Scope, ...Scope[]]): ClassDecorator & MethodDecorator => routeSettings({ scopes });

/** Marks a route that shows histories; PUBLIC_HISTORY controls what it shows without a key. */
export const ShowsHistory = (): ClassDecorator & MethodDecorator => routeSettings({ showsHistory: true });

/** Declares that a route needs a key, with any scope. */
export const RequiresKey = (): MethodDecorator => routeSettings({ scopes: SCOPES, needsKey: true });

/** Marks an operation that needs no key. */
export const Public = (): ClassDecorator & MethodDecorator => routeSettings({ scopes: [] });

/** Marks a page or a document that needs no key and ignores its query. */
export const PublicPage = (): ClassDecorator => routeSettings({ scopes: [], ignoresQuery: true });
