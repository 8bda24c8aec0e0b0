import { isIPv4 } from 'node:net';

/** Whether a host is this machine's loopback. @param host a name or an IP address, also as `URL` writes it */
export function isLoopback(host: string): boolean {
  if (host === 'localhost' || host === '::1' || host === '[::1]') return true;
  return host.startsWith('127.') && isIPv4(host);
}
