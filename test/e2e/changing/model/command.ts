import type fc from 'fast-check';
import type { Registry } from './registry.js';
import type { Real } from './real.js';

/** A command whose arguments are drawn before the run and are resolved when it runs, so that it can be replayed. */
export class ModelCommand<Pick> implements fc.AsyncCommand<Registry, Real> {
  constructor(
    private readonly title: string,
    private readonly pick: Pick,
    private readonly act: (registry: Registry, real: Real, pick: Pick) => Promise<void>,
    /** Whether it needs an existing identifier. */
    private readonly needsEntry: boolean,
  ) {}

  check({ entries }: Readonly<Registry>): boolean {
    return !this.needsEntry || entries.length > 0;
  }

  run(registry: Registry, real: Real): Promise<void> {
    return this.act(registry, real, this.pick);
  }

  toString(): string {
    return `${this.title} ${JSON.stringify(this.pick)}`;
  }
}
