import type { EffectDeps } from './effectDeps.ts';

/** Milliseconds since a turn began. */
export function elapsed(deps: Pick<EffectDeps, 'nowMs'>, startedAt: string): number {
  return Math.max(0, deps.nowMs() - Date.parse(startedAt));
}
