import type { Change, Identifier, NamingAuthority } from '../database/generated/client.js';

interface Models {
  readonly naming_authority: NamingAuthority;
  readonly identifier: Identifier;
  readonly change: Change;
}

/** The column of a field of `prisma/schema.prisma`: its name in snake case. A test compares these names with the database. */
type Column<Field extends string> = Field extends `${infer Letter}${infer Rest}`
  ? `${Letter extends Lowercase<Letter> ? Letter : `_${Lowercase<Letter>}`}${Column<Rest>}`
  : '';

/** A row as `pg` reads it, by column name. */
export type Row<Table extends keyof Models> = {
  readonly [Field in keyof Models[Table] & string as Column<Field>]: Read<Models[Table][Field]>;
};

/** `pg` reads BIGINT as a string and BYTEA as a Buffer. */
type Read<T> = T extends bigint ? string : T extends Uint8Array ? Buffer : T;
