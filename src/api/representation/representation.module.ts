import { Module } from '@nestjs/common';
import { IdentifierPresenter } from './identifier-presenter.js';

@Module({ providers: [IdentifierPresenter], exports: [IdentifierPresenter] })
export class RepresentationModule {}
