/** Wall clock and chance of the window. Everything else gets them handed in, or asks here. */
export const nowMs = (): number => Date.now();

/** RFC 3339, UTC. */
export const now = (): string => new Date().toISOString();

/** From 0 up to, not including, 1. */
export const chance = (): number => Math.random();
