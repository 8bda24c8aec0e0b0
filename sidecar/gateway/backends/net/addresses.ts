import { BlockList, isIP, isIPv4 } from 'node:net';

/** How dangerous it is to let a registered address lead there (`security.ssrf`). */
export type AddressClass = 'public' | 'private' | 'forbidden';

/** Loopback and the networks of a house: only for servers that an admin registered so. */
const houses = blockList([
  ['127.0.0.0', 8],
  ['10.0.0.0', 8],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
  ['100.64.0.0', 10],
  ['::1', 128],
  ['fc00::', 7],
  ['fec0::', 10],
]);

/** Never, whatever is registered: metadata services live here, or nothing that could be meant. */
const never = blockList([
  ['0.0.0.0', 8],
  ['169.254.0.0', 16],
  ['100.100.100.200', 32],
  ['168.63.129.16', 32],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
  ['::', 128],
  ['64:ff9b:1::', 48],
  ['100::', 64],
  ['2001::', 32],
  ['2001:db8::', 32],
  ['fd00:ec2::254', 128],
  ['fd20:ce::254', 128],
  ['fe80::', 10],
  ['ff00::', 8],
]);

/** IPv6 forms that carry an IPv4 address: it is judged as that address. Prefix, its length in groups, group of the address. */
const carriers: readonly { readonly prefix: readonly number[]; readonly at: number }[] = [
  { prefix: [0, 0, 0, 0, 0, 0xffff], at: 6 }, // IPv4-mapped
  { prefix: [0, 0, 0, 0, 0xffff, 0], at: 6 }, // IPv4-translated
  { prefix: [0, 0, 0, 0, 0, 0], at: 6 }, // IPv4-compatible
  { prefix: [0x64, 0xff9b, 0, 0, 0, 0], at: 6 }, // NAT64
  { prefix: [0x2002], at: 1 }, // 6to4
];

/** @param address an IP address as text, without brackets or zone. Anything else is forbidden. */
export function classifyAddress(address: string): AddressClass {
  const bare = address.replace(/%.*$/, '');
  if (isIP(bare) === 0) return 'forbidden';
  if (isIPv4(bare)) return classOf(bare, 'ipv4');
  const groups = groupsOf(bare);
  if (bare !== '::' && !isOne(groups)) {
    const carried = carriedAddress(groups);
    if (carried !== undefined) return classOf(carried, 'ipv4');
  }
  return classOf(bare, 'ipv6');
}

function classOf(address: string, family: 'ipv4' | 'ipv6'): AddressClass {
  if (never.check(address, family)) return 'forbidden';
  return houses.check(address, family) ? 'private' : 'public';
}

function carriedAddress(groups: readonly number[]): string | undefined {
  const isatap = (groups[4] === 0 || groups[4] === 0x200) && groups[5] === 0x5efe;
  const at = isatap ? 6 : carriers.find(({ prefix }) => prefix.every((it, index) => groups[index] === it))?.at;
  if (at === undefined) return undefined;
  const [high = 0, low = 0] = groups.slice(at, at + 2);
  return [high >> 8, high & 0xff, low >> 8, low & 0xff].join('.');
}

const isOne = (groups: readonly number[]) => groups.every((it, index) => it === (index === 7 ? 1 : 0));

/** The eight numbers of a valid IPv6 address. */
function groupsOf(address: string): readonly number[] {
  const canonical = new URL(`http://[${address}]/`).hostname.slice(1, -1);
  const [head = '', tail] = canonical.split('::');
  const parse = (text: string) => (text === '' ? [] : text.split(':').map((it) => Number.parseInt(it, 16)));
  const front = parse(head);
  const back = tail === undefined ? [] : parse(tail);
  return [...front, ...Array<number>(8 - front.length - back.length).fill(0), ...back];
}

function blockList(subnets: readonly (readonly [string, number])[]): BlockList {
  const list = new BlockList();
  for (const [address, bits] of subnets) list.addSubnet(address, bits, isIPv4(address) ? 'ipv4' : 'ipv6');
  return list;
}
