// The compiler plugin of @nestjs/swagger, which describes DTOs and controllers by their types and comments, with the one
// change that what it adds is noted (src/openapi/annotations.ts): its own import would load the package at every start.
import { dirname, relative, resolve } from 'node:path';
import * as swagger from '@nestjs/swagger/plugin';
import ts from 'typescript';

const NOTES = resolve('src/openapi/annotations.js');

export const before = swagger.before;

export function after() {
  return (context) => (file) => ts.visitEachChild(file, (node) => redirected(node, file, context.factory), context);
}

function redirected(node, file, factory) {
  if (!ts.isImportDeclaration(node) || node.moduleSpecifier.text !== '@nestjs/swagger') return node;
  const path = relative(dirname(file.fileName), NOTES).replaceAll('\\', '/');
  const from = factory.createStringLiteral(path.startsWith('.') ? path : `./${path}`);
  return factory.updateImportDeclaration(node, node.modifiers, node.importClause, from, node.attributes);
}
