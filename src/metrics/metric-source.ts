import { Counter, Gauge, type Registry } from 'prom-client';

type Figures = Readonly<Record<string, number>>;

export abstract class MetricSource {
  constructor(protected readonly registry: Registry) {}

  protected counter<Label extends string>(name: string, help: string, ...labelNames: Label[]): Counter<Label> {
    return new Counter({ name, help, labelNames, registers: [this.registry] });
  }

  /**
   * Creates a counter for each value of a label. Counters are created once, because finding labels costs more than counting, and at the
   * start, so that alerts can distinguish zero from missing data.
   */
  protected counters<Value extends string>(
    name: string,
    help: string,
    label: string,
    values: readonly Value[],
  ): Readonly<Record<Value, { inc(): void }>> {
    const counter = this.counter(name, help, label);
    for (const value of values) counter.inc({ [label]: value }, 0);
    const counts = values.map((value) => [value, counter.labels({ [label]: value })]);
    return Object.fromEntries(counts) as Record<Value, { inc(): void }>;
  }

  /** Exports the result of `read` at each scrape: a number, or a number for each value of `label`. */
  protected scraped(
    name: string,
    help: string,
    read: () => number | Figures | Promise<number>,
    label?: string,
    Kind: typeof Gauge | typeof Counter = Gauge,
  ): void {
    new Kind({
      name,
      help,
      labelNames: label === undefined ? [] : [label],
      registers: [this.registry],
      async collect() {
        const found = await read();
        this.reset();
        if (label === undefined) this.inc(found as number);
        else for (const [value, figure] of Object.entries(found as Figures)) this.inc({ [label]: value }, figure);
      },
    });
  }
}
