import { SetMetadata } from '@nestjs/common';

/** What a key may do: `admin` includes all others. */
export const SCOPES = ['read', 'mint', 'register', 'curate', 'admin'] as const;
export type Scope = (typeof SCOPES)[number];

/** Metadata of a route: the scope that it asks for, or that it asks for none. */
export const REQUIRED_SCOPE = 'access:scope';

/**
 * Says which scope a route asks for, or several of which one is enough to come in. Every route says it, or is
 * `@Public()`. Whether the key covers a naming authority is for the feature to ask, which alone knows which ones a
 * request touches.
 */
export const Requires = (...scopes: [Scope, ...Scope[]]): ClassDecorator & MethodDecorator =>
  SetMetadata(REQUIRED_SCOPE, scopes);

/** Marks what everybody may have without a key: health, and the descriptions of the API and of problems. */
export const Public = (): ClassDecorator & MethodDecorator => SetMetadata(REQUIRED_SCOPE, []);
