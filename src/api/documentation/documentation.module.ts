import { type DynamicModule, Module } from '@nestjs/common';
import { DocumentsController } from './documents.controller.js';
import { FrontPageController, HAS_RESOLVER } from './front-page.controller.js';
import { ProblemsController } from './problems.controller.js';

@Module({ controllers: [DocumentsController, FrontPageController, ProblemsController] })
export class DocumentationModule {
  /** @param hasResolver whether the service resolves `POST /`, so that the page at `/` has a form for it. */
  static with(hasResolver: boolean): DynamicModule {
    return { module: DocumentationModule, providers: [{ provide: HAS_RESOLVER, useValue: hasResolver }] };
  }
}
