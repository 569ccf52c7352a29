/** Two clocks in milliseconds. */
export interface Clock {
  /** Never put back or forward. It can stand still while the machine is suspended. */
  monotonic(): number;
  /** Advances while the machine is suspended. It can be put back or forward. */
  wall(): number;
}

export const SYSTEM_CLOCK: Clock = {
  monotonic: () => performance.now(),
  wall: () => Date.now(),
};

/** A time by both clocks. */
export interface Instant {
  readonly monotonic: number;
  readonly wall: number;
}

export function instantOf(clock: Clock): Instant {
  return { monotonic: clock.monotonic(), wall: clock.wall() };
}

/** Milliseconds since an instant, by the clock that has advanced more. */
export function elapsedSince(since: Instant, clock: Clock): number {
  return Math.max(clock.monotonic() - since.monotonic, clock.wall() - since.wall);
}
