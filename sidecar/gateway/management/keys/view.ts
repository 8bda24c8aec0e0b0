import { isServiceAccount, type KeyRecord } from '../../../protocol/gateway/key.ts';
import type { ManagementDeps } from '../managementDeps.ts';

/** Keys as they are shown: their hash, never themselves, and what they spent. */
export async function keyViews({ spending }: Pick<ManagementDeps, 'spending'>, keys: readonly KeyRecord[]) {
  const spent = await spending.of('key', keys);
  return keys.map((it, at) => ({
    ...it,
    is_service_account: isServiceAccount(it),
    spend: spent[at]?.spend ?? 0,
    budget_reset_at: spent[at]?.budget_reset_at ?? null,
  }));
}

export async function keyView(deps: Pick<ManagementDeps, 'spending'>, key: KeyRecord) {
  const [view] = await keyViews(deps, [key]);
  return view!;
}
