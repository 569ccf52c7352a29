import { Module } from '@nestjs/common';
import { ChangingModule } from '../../changing/changing.module.js';
import { RepresentationModule } from '../representation/representation.module.js';
import { ChangePresenter } from './change-presenter.js';
import { ChangesController } from './changes.controller.js';

@Module({
  imports: [ChangingModule, RepresentationModule],
  controllers: [ChangesController],
  providers: [ChangePresenter],
})
export class ChangesModule {}
