import type { KeyRecord } from '../../../protocol/gateway/key.ts';
import type { ManagementDeps } from '../deps.ts';

/** Keys as they are shown: their hash, never themselves, and what they spent. */
export async function keyViews({ spending }: Pick<ManagementDeps, 'spending'>, keys: readonly KeyRecord[]) {
  const ids = keys.map((it) => it.token_id);
  const spent = await spending.of('key', ids);
  return keys.map((it) => ({
    ...it,
    spend: spent.get(it.token_id)?.spend ?? 0,
    budget_reset_at: spent.get(it.token_id)?.budget_reset_at ?? null,
  }));
}

export async function keyView(deps: Pick<ManagementDeps, 'spending'>, key: KeyRecord) {
  const [view] = await keyViews(deps, [key]);
  return view!;
}
