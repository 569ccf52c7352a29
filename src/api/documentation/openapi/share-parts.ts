import { type Document, type Parameter, componentName, isReference, operationsOf } from './document.js';

/** A header or a parameter in its place. */
interface Use {
  /** Names for the component, the shortest first; the last one tells it from every other part of this name. */
  readonly names: readonly string[];
  readonly part: object;
  readonly replace: (reference: { $ref: string }) => void;
}

/** Moves equal parameters and headers that occur more than once to components. Runs after `shareResponses`. */
export function shareParts(document: Document): void {
  document.components.parameters = share('parameters', parametersIn(document)) as Record<string, Parameter>;
  document.components.headers = share('headers', headersIn(document));
}

function parametersIn(document: Document): Use[] {
  return operationsOf(document).flatMap(({ operation: { parameters = [], tags = [] } }) =>
    parameters.flatMap((part, index) =>
      isReference(part)
        ? []
        : {
            names: [[part.name], [part.name, 'in', part.in], [...tags, part.name, 'in', part.in]].map((words) =>
              componentName(...words),
            ),
            part,
            replace: (reference) => (parameters[index] = reference),
          },
    ),
  );
}

function headersIn(document: Document): Use[] {
  const ofOperations = operationsOf(document).flatMap(({ operation: { responses, tags = [] } }) =>
    Object.values(responses).map((response) => ({ response, tags })),
  );
  const ofComponents = Object.values(document.components.responses ?? {}).map((response) => ({ response, tags: [] }));
  return [...ofOperations, ...ofComponents].flatMap(({ response, tags }) => {
    const headers = 'headers' in response ? (response.headers ?? {}) : {};
    return Object.entries(headers).flatMap(([name, part]) =>
      isReference(part)
        ? []
        : {
            names: [componentName(name), componentName(...tags, name)],
            part,
            replace: (reference: { $ref: string }) => (headers[name] = reference),
          },
    );
  });
}

function share(section: string, uses: readonly Use[]): Record<string, object> {
  const byText = new Map<string, Use[]>();
  for (const use of uses) {
    const text = JSON.stringify(use.part);
    byText.set(text, [...(byText.get(text) ?? []), use]);
  }
  const groups = [...byText.values()].filter(({ length }) => length > 1);
  const components: Record<string, object> = {};
  for (const group of groups) {
    const [first] = group;
    if (first === undefined) continue;
    const name = first.names.find((one) => groups.every((other) => other === group || !other[0]?.names.includes(one)));
    if (name === undefined) throw new Error(`${section}: no name of its own for ${first.names.join(' or ')}`);
    components[name] = first.part;
    for (const { replace } of group) replace({ $ref: `#/components/${section}/${name}` });
  }
  return Object.fromEntries(Object.entries(components).sort(([one], [other]) => (one < other ? -1 : 1)));
}
