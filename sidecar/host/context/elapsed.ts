import type { EffectDeps } from './effectDeps.ts';

/** Milliseconds since a turn began. */
export function elapsed(deps: Pick<EffectDeps, 'clock'>, startedAt: string): number {
  return Math.max(0, deps.clock.nowMs() - Date.parse(startedAt));
}
