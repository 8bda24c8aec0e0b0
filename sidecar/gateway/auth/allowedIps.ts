import { Fault } from '../../platform/faults.ts';
import type { Holder } from './caller.ts';
import { type InNetworks, openNetworks } from './networks.ts';

type List = readonly string[] | null | undefined;

/** By the list of a record, which is one object until the record changes. */
const opened = new WeakMap<readonly string[], InNetworks>();

function isIn(list: List, address: string): boolean {
  if (!list || list.length === 0) return true;
  let contains = opened.get(list);
  if (!contains) opened.set(list, (contains = openNetworks(list)));
  return contains(address);
}

/**
 * The lists of the key and of its team both hold.
 *
 * @param address of the nearest hop that no trusted proxy vouches for
 * @throws {Fault} `forbidden` with `data.reason`
 */
export function checkAddress({ key, team }: Pick<Holder, 'key' | 'team'>, address: string): void {
  const whose = !isIn(key.allowed_ips, address) ? 'key' : isIn(team?.allowed_ips, address) ? undefined : 'team';
  if (!whose) return;
  throw new Fault(
    'forbidden',
    `The address ${address} is not in the list of addresses that this key's ${whose === 'key' ? 'record' : 'team'} allows.`,
    {
      data: { reason: 'ip_not_allowed', field: 'allowed_ips' },
    },
  );
}
