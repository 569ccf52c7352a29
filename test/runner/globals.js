/** `@jest/globals` for jest-light-runner, which defines the functions of Jest globally. */
export const { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest, test } = globalThis;
