import { BlockList, isIP, isIPv6 } from 'node:net';

interface Network {
  readonly address: string;
  readonly prefix: number;
  readonly family: 'ipv4' | 'ipv6';
}

/** Whether an address is in one of some networks. */
export type InNetworks = (address: string) => boolean;

/**
 * @param entries addresses and networks, as `10.0.0.7`, `10.0.0.0/8`, `fd00::/8`
 * @param wrong called with an entry that is neither, which then has no address in it
 */
export function openNetworks(entries: readonly string[], wrong: (entry: string) => void = () => undefined): InNetworks {
  const list = new BlockList();
  for (const entry of entries) {
    const network = networkOf(entry);
    if (network) list.addSubnet(network.address, network.prefix, network.family);
    else wrong(entry);
  }
  return (text) => {
    const address = plainAddress(text);
    const family = familyOf(address);
    return family !== undefined && list.check(address, family);
  };
}

/** Whether every address of one network is in another. */
export function coversNetwork(outer: string, inner: string): boolean {
  const [one, other] = [networkOf(outer), networkOf(inner)];
  return (
    one?.family === other?.family &&
    (one?.prefix ?? 129) <= (other?.prefix ?? -1) &&
    openNetworks([outer])(other!.address)
  );
}

/** IPv4 in the notation of IPv6 (RFC 4291, 2.5.5.2) is the IPv4 address that it stands for, in any spelling. */
export function plainAddress(text: string): string {
  const bare = text.replace(/%.*$/, '');
  if (!isIPv6(bare)) return text;
  const { hostname } = new URL(`http://[${bare}]`);
  const [, high, low] = /^\[::ffff:([\da-f]{1,4}):([\da-f]{1,4})\]$/.exec(hostname) ?? [];
  if (high === undefined || low === undefined) return bare;
  const bytes = [high, low].map((it) => Number.parseInt(it, 16)).flatMap((it) => [it >> 8, it & 0xff]);
  return bytes.join('.');
}

/** The bits of an IPv6 address in front of the IPv4 address that it stands for. */
const MAPPED_BITS = 96;

function networkOf(entry: string): Network | undefined {
  const [given = '', bits, ...more] = entry.split('/');
  const givenFamily = familyOf(given);
  if (!givenFamily || given.includes('%') || more.length > 0) return undefined;
  const most = givenFamily === 'ipv4' ? 32 : 128;
  const prefix = bits === undefined ? most : /^\d{1,3}$/.test(bits) ? Number(bits) : Number.NaN;
  if (!(prefix <= most)) return undefined;
  const address = plainAddress(given);
  const isMapped = givenFamily === 'ipv6' && familyOf(address) === 'ipv4';
  if (!isMapped) return { address, prefix, family: givenFamily };
  return prefix < MAPPED_BITS
    ? { address: given, prefix, family: 'ipv6' }
    : { address, prefix: prefix - MAPPED_BITS, family: 'ipv4' };
}

const familyOf = (address: string): 'ipv4' | 'ipv6' | undefined =>
  (({ 4: 'ipv4', 6: 'ipv6' }) as const)[isIP(address) as 4 | 6];
