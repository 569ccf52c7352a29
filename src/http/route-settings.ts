import { ROUTE_ARGS_METADATA } from '@nestjs/common/constants.js';
import { RouteParamtypes } from '@nestjs/common/enums/route-paramtypes.enum.js';
import type { FastifyContextConfig, FastifyRequest } from 'fastify';
import { RouteConfig } from '@nestjs/platform-fastify';

declare module 'fastify' {
  interface FastifyContextConfig {
    onlyReads?: boolean;
  }
}

const SETTINGS = Symbol('http:route-settings');

/** Adds settings to a route, for hooks that run before the body is read. Settings of a handler take precedence over those of its class. */
export function routeSettings(settings: FastifyContextConfig): ClassDecorator & MethodDecorator {
  return (target: object, name?: string | symbol, descriptor?: PropertyDescriptor) => {
    if (name !== undefined && descriptor !== undefined) add(target, name, descriptor, settings);
    else addToAll((target as new () => object).prototype as object, settings);
  };
}

export const OnlyReads = (): MethodDecorator => routeSettings({ onlyReads: true });

/** The settings of a handler, for the OpenAPI document. */
export function routeSettingsOf(handler: object): FastifyContextConfig {
  return (Reflect.getOwnMetadata(SETTINGS, handler) ?? {}) as FastifyContextConfig;
}

function addToAll(prototype: object, settings: FastifyContextConfig): void {
  for (const [name, descriptor] of Object.entries(Object.getOwnPropertyDescriptors(prototype))) {
    if (name !== 'constructor' && typeof descriptor.value === 'function') add(prototype, name, descriptor, settings);
  }
}

/** Class decorators run after method decorators, which run from last to first. Settings that were added earlier take precedence. */
function add(
  prototype: object,
  name: string | symbol,
  descriptor: PropertyDescriptor,
  settings: FastifyContextConfig,
): void {
  const handler = descriptor.value as object;
  const merged: FastifyContextConfig = {
    ...settings,
    ...(Reflect.getOwnMetadata(SETTINGS, handler) as FastifyContextConfig | undefined),
  };
  merged.rejectsQuery = merged.ignoresQuery !== true && !readsQuery(prototype, name);
  Reflect.defineMetadata(SETTINGS, merged, handler);
  RouteConfig(merged)(prototype, name, descriptor);
}

/** Decorators of parameters run before those of their method, so the metadata of the parameters exists. */
function readsQuery(prototype: object, name: string | symbol): boolean {
  const parameters = Reflect.getMetadata(ROUTE_ARGS_METADATA, prototype.constructor, name) as object | undefined;
  return Object.keys(parameters ?? {}).some((key) => key.startsWith(`${RouteParamtypes.QUERY}:`));
}

export function onlyReads(request: FastifyRequest): boolean {
  const { method } = request;
  return (
    method === 'GET' || method === 'HEAD' || method === 'OPTIONS' || request.routeOptions.config.onlyReads === true
  );
}
