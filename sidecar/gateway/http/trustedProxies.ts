import { BlockList, isIP } from 'node:net';
import { Fault } from '../../platform/faults.ts';

/** Whether an address is one of a proxy that is believed. */
export type TrustedProxies = (address: string) => boolean;

/**
 * @param entries addresses and networks, as `10.0.0.7`, `10.0.0.0/8`, `fd00::/8`
 * @throws {Fault} `invalid_params` naming `trusted_proxies` and the entry that is neither
 */
export function openTrustedProxies(entries: readonly string[]): TrustedProxies {
  const list = new BlockList();
  for (const entry of entries) {
    const [address = '', bits, ...more] = entry.split('/');
    const family = familyOf(address);
    const most = family === 'ipv4' ? 32 : 128;
    const prefix = bits === undefined ? most : /^\d{1,3}$/.test(bits) ? Number(bits) : Number.NaN;
    if (!family || more.length > 0 || !(prefix <= most)) {
      throw new Fault('invalid_params', `'${entry}' must be an address or a network, such as 10.0.0.7 or 10.0.0.0/8.`, {
        data: { field: 'trusted_proxies' },
      });
    }
    list.addSubnet(address, prefix, family);
  }
  return (address) => {
    const family = familyOf(address);
    return family !== undefined && list.check(address, family);
  };
}

const familyOf = (address: string): 'ipv4' | 'ipv6' | undefined =>
  (({ 4: 'ipv4', 6: 'ipv6' }) as const)[isIP(address) as 4 | 6];
