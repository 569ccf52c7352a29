import type * as swagger from '@nestjs/swagger';

type Annotation = {
  [Name in keyof typeof swagger]: (typeof swagger)[Name] extends (...args: never[]) => (...target: never[]) => unknown
    ? Name
    : never;
}[keyof typeof swagger];

/** The recorded annotations, in the order of the decorators. */
const noted: ((real: typeof swagger) => void)[] = [];

export const ApiBody = noting('ApiBody');
export const ApiConsumes = noting('ApiConsumes');
export const ApiExcludeController = noting('ApiExcludeController');
export const ApiExtension = noting('ApiExtension');
export const ApiExtraModels = noting('ApiExtraModels');
export const ApiHeader = noting('ApiHeader');
/** Used only by the build: the plugin of `@nestjs/swagger` generates this annotation from docstrings. */
export const ApiOperation = noting('ApiOperation');
export const ApiParam = noting('ApiParam');
export const ApiProperty = noting('ApiProperty');
export const ApiResponse = noting('ApiResponse');
export const ApiTags = noting('ApiTags');

/** The type of a member with any value. Its schema is empty in the document. */
export const ANY_VALUE = 'any' as 'null';

export function getSchemaPath(dto: string | { readonly name: string }): string {
  return `#/components/schemas/${typeof dto === 'string' ? dto : dto.name}`;
}

/** The OpenAPI schema of a header or a body that is any text. */
export const TEXT = { schema: { type: 'string' as const } };

export const textHeader = (description: string) => ({ description, ...TEXT });

/** The successful response of an operation: its JSON and its headers. */
export const ApiReturns = (
  type: new () => object,
  description: string,
  headers?: NonNullable<Parameters<typeof ApiResponse>[0]>['headers'],
  status = 200,
): MethodDecorator => ApiResponse({ status, description, type, ...(headers !== undefined && { headers }) });

/** Applies the recorded annotations with the real package, for `npm run openapi`. */
export function annotateWith(real: typeof swagger): void {
  for (const apply of noted.splice(0)) apply(real);
}

/** Records a decorator, because loading `@nestjs/swagger` at the start would add 310 ms to 1,720 ms of processor time (medians of 15). */
function noting<Name extends Annotation>(name: Name): (typeof swagger)[Name] {
  const decorator =
    (...args: unknown[]) =>
    (...target: unknown[]) => {
      noted.push((real) => {
        (real[name] as Factory)(...args)(...target);
      });
    };
  return decorator;
}

type Factory = (...args: unknown[]) => (...target: unknown[]) => unknown;
