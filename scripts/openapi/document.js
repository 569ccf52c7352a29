const METHODS = ['get', 'post', 'patch', 'delete'];

export function operationsOf({ paths }) {
  return Object.entries(paths).flatMap(([path, item]) =>
    METHODS.flatMap((method) => (item[method] === undefined ? [] : [{ path, method, operation: item[method] }])),
  );
}

export function isReference(part) {
  return '$ref' in part;
}

export function componentName(...texts) {
  const words = texts.flatMap((text) => text.split(/[^A-Za-z0-9]+/));
  return words.map((word) => word.slice(0, 1).toUpperCase() + word.slice(1)).join('');
}
