import { Module } from '@nestjs/common';
import { CurationServiceModule } from '../../curation/curation-service.module.js';
import { RepresentationModule } from '../representation/representation.module.js';
import { ChangePresenter } from './change-presenter.js';
import { ChangesController } from './changes.controller.js';

@Module({
  imports: [CurationServiceModule, RepresentationModule],
  controllers: [ChangesController],
  providers: [ChangePresenter],
})
export class ChangesModule {}
