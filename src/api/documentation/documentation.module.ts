import { Module } from '@nestjs/common';
import { DocumentsController } from './documents.controller.js';
import { FrontPageController } from './front-page.controller.js';
import { ProblemsController } from './problems.controller.js';

@Module({ controllers: [DocumentsController, FrontPageController, ProblemsController] })
export class DocumentationModule {}
