import type { LimitLevel } from '../../../../sidecar/gateway/activity/limits/levels.ts';
import type { Limits, Permit } from '../../../../sidecar/gateway/activity/limits/limits.ts';
import { Fault } from '../../../../sidecar/platform/faults.ts';

let count = 0;
export const level = (limits: LimitLevel['limits'], more: Partial<LimitLevel> = {}): LimitLevel => {
  count += 1;
  return { type: 'key', id: `${count}`.padStart(64, '0'), alias: `key ${count}`, createdAtMs: 0, limits, ...more };
};

/** Those that were admitted of many that knock at once; what is no refusal is thrown. */
export async function crowd(limits: readonly Limits[], levels: readonly LimitLevel[], cost: number, times = 100) {
  const knocks = Array.from({ length: times }, async (_, n) => limits[n % limits.length]?.admit(levels, { cost }));
  const admitted: Permit[] = [];
  const refusals: Fault[] = [];
  for (const it of await Promise.allSettled(knocks)) {
    if (it.status === 'fulfilled') admitted.push(it.value as Permit);
    else if (it.reason instanceof Fault && /budget_exceeded|rate_limited/.test(it.reason.code))
      refusals.push(it.reason);
    else throw it.reason;
  }
  return { admitted, refusals };
}
