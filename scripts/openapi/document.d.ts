/** The parts of an OpenAPI 3.1 document that the steps of its generation read and write. */
export interface Document {
  readonly paths: Record<string, Partial<Record<Method, Operation>>>;
  readonly components: Components;
}

export interface Components {
  schemas: Record<string, Schema>;
  responses?: Record<string, Response>;
  headers?: Record<string, object>;
  parameters?: Record<string, Parameter>;
  examples?: Record<string, object>;
}

type Method = 'get' | 'post' | 'patch' | 'delete';

export interface Operation {
  operationId: string;
  description?: string;
  tags?: string[];
  parameters?: (Parameter | Reference)[];
  requestBody?: { content: Record<string, MediaType> };
  responses: Record<string, Response | Reference>;
  security?: Record<string, string[]>[];
}

export interface Parameter {
  name: string;
  in: string;
  required?: boolean;
  description?: string;
  example?: unknown;
  schema?: Schema;
}

export interface Response {
  description: string;
  headers?: Record<string, object>;
  content?: Record<string, MediaType>;
}

export interface MediaType {
  schema?: Schema;
  example?: unknown;
  examples?: Record<string, { value: unknown }>;
}

/** OpenAPI 3.1 permits a description beside a reference, which replaces that of the target. */
export interface Reference {
  readonly $ref: string;
  readonly description?: string;
}

export interface Schema {
  readonly $ref?: string;
  type?: string | string[];
  properties?: Record<string, Schema>;
  additionalProperties?: unknown;
  [keyword: string]: unknown;
}

export interface OperationAt {
  readonly path: string;
  readonly method: Method;
  readonly operation: Operation;
}

/** All operations, in the order of the document. */
export function operationsOf(document: Document): OperationAt[];

export function isReference(part: object): part is Reference;

/** A name for a component from words in any spelling: "If-Match" is `IfMatch`, "naming authorities" is `NamingAuthorities`. */
export function componentName(...texts: readonly string[]): string;
