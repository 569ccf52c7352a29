import { Module } from '@nestjs/common';
import { ProblemsController } from './problems.controller.js';

/** What the service says about itself. */
@Module({ controllers: [ProblemsController] })
export class DocumentationModule {}
