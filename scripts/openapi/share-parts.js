import { componentName, isReference, operationsOf } from './document.js';

/** Moves equal parameters and headers that occur more than once to components. Runs after `shareResponses`. */
export function shareParts(document) {
  document.components.parameters = share('parameters', parametersIn(document));
  document.components.headers = share('headers', headersIn(document));
}

function parametersIn(document) {
  return operationsOf(document).flatMap(({ operation: { parameters = [], tags = [] } }) =>
    parameters.flatMap((part, index) =>
      isReference(part)
        ? []
        : {
            names: [
              [part.name],
              [part.name, 'in', part.in],
              [...tags, part.name, 'in', part.in],
              [part.required === true ? 'required' : 'optional', part.name],
            ].map((words) => componentName(...words)),
            part,
            replace: (reference) => (parameters[index] = reference),
          },
    ),
  );
}

function headersIn(document) {
  const ofOperations = operationsOf(document).flatMap(({ operation: { responses, tags = [] } }) =>
    Object.values(responses).map((response) => ({ response, tags })),
  );
  const ofComponents = Object.values(document.components.responses ?? {}).map((response) => ({
    response,
    tags: ['problem'],
  }));
  return [...ofOperations, ...ofComponents].flatMap(({ response, tags }) => {
    const headers = 'headers' in response ? (response.headers ?? {}) : {};
    return Object.entries(headers).flatMap(([name, part]) =>
      isReference(part)
        ? []
        : {
            names: [componentName(name), componentName(...tags, name)],
            part,
            replace: (reference) => (headers[name] = reference),
          },
    );
  });
}

/** Each use of a part proposes names for the component, the shortest first. The first name that no other part proposes is chosen. */
function share(section, uses) {
  const byText = new Map();
  for (const use of uses) {
    const text = JSON.stringify(use.part);
    byText.set(text, [...(byText.get(text) ?? []), use]);
  }
  const groups = [...byText.values()].filter(({ length }) => length > 1);
  const components = {};
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
