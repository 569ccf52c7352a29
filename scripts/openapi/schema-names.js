const SCHEMAS = '#/components/schemas/';

/** Removes "Dto" from the names of schemas: the classes are named for the code, the schemas for clients. */
export function withPlainSchemaNames(document) {
  const schemas = {};
  for (const [name, schema] of Object.entries(document.components.schemas)) {
    const plain = plainName(name);
    if (plain in schemas) throw new Error(`two schemas would have the name ${plain}`);
    schemas[plain] = schema;
  }
  const renamed = { ...document, components: { ...document.components, schemas } };
  return JSON.parse(
    JSON.stringify(renamed, (key, value) =>
      key === '$ref' && typeof value === 'string' && value.startsWith(SCHEMAS) ? plainName(value) : value,
    ),
  );
}

function plainName(name) {
  return name.replace(/Dto$/, '');
}
