import { type DynamicModule, Module } from '@nestjs/common';
import { IS_READ_PUBLIC, SiteController } from './site.controller.js';

@Module({ controllers: [SiteController] })
export class SiteModule {
  /** @param isReadPublic whether everybody may read. */
  static with(isReadPublic: boolean): DynamicModule {
    return { module: SiteModule, providers: [{ provide: IS_READ_PUBLIC, useValue: isReadPublic }] };
  }
}
