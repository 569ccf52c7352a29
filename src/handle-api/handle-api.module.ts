import { type DynamicModule, Module } from '@nestjs/common';
import { StorageReadModule } from '../storage/storage-read.module.js';
import { HandlesHandler, type HandleApiSettings } from './handles/handles.handler.js';

@Module({})
export class HandleApiModule {
  static with(settings: HandleApiSettings): DynamicModule {
    const handler = { provide: HandlesHandler, useFactory: () => new HandlesHandler(settings) };
    return { module: HandleApiModule, imports: [StorageReadModule], providers: [handler], exports: [handler] };
  }
}
