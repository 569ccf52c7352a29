// The compiler plugin of @nestjs/swagger, which describes DTOs and controllers by their types and comments. Its decorators are
// imported from src/openapi/annotations.ts instead, because the package would prolong every start.
import { dirname, relative, resolve } from 'node:path';
import * as swagger from '@nestjs/swagger/plugin';
import ts from 'typescript';

const ANNOTATIONS = resolve('src/openapi/annotations.js');

export const before = swagger.before;

export function after() {
  return (context) => (file) => ts.visitEachChild(file, (node) => redirected(node, file, context.factory), context);
}

function redirected(node, file, factory) {
  if (!ts.isImportDeclaration(node) || node.moduleSpecifier.text !== '@nestjs/swagger') return node;
  const path = relative(dirname(file.fileName), ANNOTATIONS).replaceAll('\\', '/');
  const from = factory.createStringLiteral(path.startsWith('.') ? path : `./${path}`);
  return factory.updateImportDeclaration(node, node.modifiers, node.importClause, from, node.attributes);
}
