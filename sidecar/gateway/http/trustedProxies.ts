import { Fault } from '../../platform/faults.ts';
import { type InNetworks, openNetworks } from '../auth/networks.ts';

/** Whether an address is one of a proxy that is believed. */
export type TrustedProxies = InNetworks;

/**
 * @param entries addresses and networks
 * @throws {Fault} `invalid_params` naming `trusted_proxies` and the entry that is neither
 */
export const openTrustedProxies = (entries: readonly string[]): TrustedProxies =>
  openNetworks(entries, (entry) => {
    throw new Fault('invalid_params', `'${entry}' must be an address or a network, such as 10.0.0.7 or 10.0.0.0/8.`, {
      data: { field: 'trusted_proxies' },
    });
  });
