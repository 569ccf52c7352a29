type Dto = new () => object;

const REFUSED = new WeakMap<object, Readonly<Record<string, string>>>();

/** Explains for members that a DTO does not have where they are permitted: their names, and the detail of the problem. */
export const RefusesMembers =
  (details: Readonly<Record<string, string>>): ClassDecorator =>
  (dto) => {
    REFUSED.set(dto, details);
  };

/** The detail for a member that a DTO refuses; undefined for any other. */
export function refusalOf(dto: Dto, name: string): string | undefined {
  const details = REFUSED.get(dto);
  return details !== undefined && Object.hasOwn(details, name) ? details[name] : undefined;
}
