import { isNullAbsent } from './member-decorators.js';
import { IsObject, MAX_LENGTH, ValidateNested, ValidationTypes, getMetadataStorage } from 'class-validator';
import { Transform, Type } from 'class-transformer';

type Dto = new () => object;
type Rule = (value: unknown, owner: object) => boolean;
type Metadata = ReturnType<ReturnType<typeof getMetadataStorage>['getTargetValidationMetadatas']>[number];

type Reader = (value: unknown) => unknown;

interface Member {
  readonly name: string;
  /** The DTO of the member, or of its items if it is a list. */
  readonly nested: Dto | undefined;
  readonly read: Reader;
  readonly conditions: readonly Rule[];
  readonly rules: readonly Rule[];
}

const NESTED = Symbol('dto-rules:nested');
const READER = Symbol('dto-rules:reader');

/** Applies `Transform`, and records the function, so that `FastRules` can apply it too. */
export function Read(read: Reader): PropertyDecorator {
  return (target, name) => {
    Transform(({ value }: { value: unknown }) => read(value))(target, name);
    Reflect.defineMetadata(READER, read, target, name);
  };
}

export function Nested(dto: () => Dto, options: { each?: boolean } = {}): PropertyDecorator {
  return (target, name) => {
    ValidateNested(options)(target, name);
    // `ValidateNested` accepts a list for a single value.
    if (options.each !== true) IsObject()(target, name);
    Type(dto)(target, name);
    Reflect.defineMetadata(NESTED, dto, target, name);
  };
}

/** A pre-check that is ten times as fast as class-validator. After a failure, class-validator runs to produce the messages. */
export class FastRules {
  private static readonly known = new Map<Dto, FastRules>();
  private members: ReadonlyMap<string, Member> = new Map();
  private listed: readonly Member[] = [];
  private defaults: readonly string[] = [];
  /** The names of the members that the DTO permits, sorted. */
  names: readonly string[] = [];
  /** Whether no member has a DTO of its own. */
  isFlat = true;

  private constructor(private readonly dto: Dto) {}

  static of(dto: Dto): FastRules {
    let rules = this.known.get(dto);
    if (rules === undefined) {
      rules = new FastRules(dto);
      this.known.set(dto, rules);
      rules.members = membersOf(dto);
      rules.listed = [...rules.members.values()];
      rules.names = [...rules.members.keys()].sort();
      rules.isFlat = rules.listed.every(({ nested }) => nested === undefined);
      rules.defaults = Object.entries(new dto()).flatMap(([name, value]) => (value === undefined ? [] : [name]));
    }
    return rules;
  }

  has(name: string): boolean {
    return this.members.has(name);
  }

  /** The rules of a member that has a DTO, or of its items if it is a list. */
  nestedAt(name: string): FastRules | undefined {
    const nested = this.members.get(name)?.nested;
    return nested && FastRules.of(nested);
  }

  /** Removes members with a null that means absent, including members of list items. Returns the same value if there are none. */
  withoutNulls(value: object): object {
    const changed: [string, unknown][] = [];
    for (const [name, sent] of Object.entries(value as Record<string, unknown>)) {
      const member = this.members.get(name);
      if (member === undefined) continue;
      const { conditions, nested } = member;
      const isAbsent = sent === null && isNullAbsent(this.dto);
      if (isAbsent && allHold(conditions, null, value) && !allHold(conditions, undefined, value))
        changed.push([name, undefined]);
      else if (nested !== undefined && typeof sent === 'object' && sent !== null) {
        const cleaned = withoutNullsIn(FastRules.of(nested), sent);
        if (cleaned !== sent) changed.push([name, cleaned]);
      }
    }
    if (changed.length === 0) return value;
    const members = Object.entries({ ...value, ...Object.fromEntries(changed) });
    return Object.fromEntries(members.filter(([, member]) => member !== undefined));
  }

  /** Parses a query and applies defaults. @returns null unless it is certainly valid. */
  read(query: object): object | null {
    const instance = new this.dto() as Record<string, unknown>;
    for (const [name, value] of Object.entries(query)) {
      const member = this.members.get(name);
      if (member === undefined) return null;
      instance[name] = member.read(value);
    }
    return this.accept(instance) ? instance : null;
  }

  /** True if the value certainly satisfies the DTO; false if it does not or class-validator must decide. */
  accept(value: unknown): boolean {
    if (typeof value !== 'object' || value === null || Array.isArray(value) || this.members.size === 0) return false;
    for (const name of Object.keys(value)) if (!this.members.has(name)) return false;
    for (const name of this.defaults) if (!Object.hasOwn(value, name)) return false;
    for (const { name, conditions, rules } of this.listed) {
      const member = (value as Record<string, unknown>)[name];
      if (allHold(conditions, member, value) && !allHold(rules, member, value)) return false;
    }
    return true;
  }

  /** The number of members with a wrong value, without members that have their own DTO. */
  faultsIn(value: object): number {
    let faults = 0;
    for (const { name, nested, conditions, rules } of this.listed) {
      const member = (value as Record<string, unknown>)[name];
      if (nested === undefined && allHold(conditions, member, value) && !allHold(rules, member, value)) faults += 1;
    }
    return faults;
  }
}

function withoutNullsIn(rules: FastRules, value: object): object {
  if (!Array.isArray(value)) return rules.withoutNulls(value);
  const sent = value as unknown[];
  const items = sent.map((item) =>
    typeof item === 'object' && item !== null && !Array.isArray(item) ? rules.withoutNulls(item) : item,
  );
  return items.some((item, index) => item !== sent[index]) ? items : sent;
}

/** A loop is used, because `every` would allocate a function for each member of each row. */
function allHold(rules: readonly Rule[], value: unknown, owner: object): boolean {
  for (const holds of rules) if (!holds(value, owner)) return false;
  return true;
}

const asItIs: Reader = (value) => value;

function membersOf(dto: Dto): Map<string, Member> {
  const storage = getMetadataStorage();
  const members = storage.groupByPropertyName(storage.getTargetValidationMetadatas(dto, '', false, false));
  return new Map(
    Object.entries(members).map(([name, all]) => {
      const conditional = all.filter(({ type }) => type === ValidationTypes.CONDITIONAL_VALIDATION);
      const others = all.filter((each) => !conditional.includes(each));
      const conditions = conditional.map(({ constraints }): Rule => {
        const [applies] = constraints as [(owner: object, value: unknown) => boolean];
        return (value, owner) => applies(owner, value);
      });
      const read = Reflect.getMetadata(READER, dto.prototype as object, name) as Reader | undefined;
      const rules = others.flatMap((each) => rulesOf(dto, each));
      return [name, { name, nested: nestedDtoOf(dto, name), read: read ?? asItIs, conditions, rules }];
    }),
  );
}

function rulesOf(dto: Dto, metadata: Metadata): Rule[] {
  const { type, propertyName, constraints, each, validateIf } = metadata;
  if (type === ValidationTypes.NESTED_VALIDATION) return [nestedRule(dto, propertyName)];
  if (type !== ValidationTypes.CUSTOM_VALIDATION || validateIf !== undefined) return [() => false];
  return getMetadataStorage()
    .getTargetValidatorConstraints(metadata.constraintCls)
    .map(({ instance, async }): Rule => {
      if (async) return () => false;
      const validate: Rule = (value, object) =>
        instance.validate(value, { targetName: dto.name, property: propertyName, object, value, constraints }) === true;
      const one = metadata.name === MAX_LENGTH ? isShortOr(constraints[0] as number, validate) : validate;
      return each ? (value, object) => (Array.isArray(value) ? value.every((item) => one(item, object)) : false) : one;
    });
}

/** Counts the characters only of a text that has more code units than permitted, because counting takes most of the time of a rule. */
function isShortOr(most: number, rule: Rule): Rule {
  return (value, object) => (typeof value === 'string' && value.length <= most) || rule(value, object);
}

/** The DTO of a member, or of its items if it is a list. */
export function nestedDtoOf(dto: Dto, name: string): Dto | undefined {
  return (Reflect.getMetadata(NESTED, dto.prototype as object, name) as (() => Dto) | undefined)?.();
}

function nestedRule(dto: Dto, name: string): Rule {
  const nested = nestedDtoOf(dto, name);
  if (nested === undefined) return () => false;
  const rules = FastRules.of(nested);
  return (value) => (Array.isArray(value) ? value.every((item) => rules.accept(item)) : rules.accept(value));
}
