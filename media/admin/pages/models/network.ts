/** Where the host of an address is, judging by the address alone. */
export type Network = 'machine' | 'private' | 'named';

const machine = /^(?:localhost|.*\.localhost|127(?:\.\d+){3}|\[::1\])$/;
const privateHost =
  /^(?:10\.|192\.168\.|172\.(?:1[6-9]|2\d|3[01])\.|100\.(?:6[4-9]|[7-9]\d|1[01]\d|12[0-7])\.|\[f[cd]|\[fe[c-f])/;

/** The host and the port of an address; `undefined` for text that is no address. */
export function hostOf(address: string | null | undefined): string | undefined {
  return address && URL.canParse(address) ? new URL(address).host : undefined;
}

export function networkOf(address: string | null | undefined): Network {
  if (!address || !URL.canParse(address)) return 'named';
  const { hostname } = new URL(address);
  return machine.test(hostname) ? 'machine' : privateHost.test(hostname) ? 'private' : 'named';
}
