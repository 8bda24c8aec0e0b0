import { isIP } from 'node:net';
import type { AsksAboutConnections, ConnectionDecision } from './connections.ts';

/** The last label begins with a letter: otherwise, the host can be an IP address in one of its notations. */
const hostName = /^(?=.{1,253}$)(?:[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?\.)*[a-z](?:[a-z0-9-]*[a-z0-9])?$/;
const NOBODY = 'No turn is running, so nobody can be asked.';
const NO_NAME = 'Programs in the sandbox can connect only to hosts that have a name.';

/** @param turn the running turn of the program's session */
export async function decideConnection(
  turn: AsksAboutConnections | undefined,
  host: string,
  port: number,
): Promise<ConnectionDecision> {
  const name = host.toLowerCase().replace(/\.$/, '');
  // Any name can resolve to an address, and other characters have a meaning in the patterns of rules.
  if (isIP(name.replace(/^\[|\]$/g, '')) !== 0 || !hostName.test(name)) return { allow: false, reason: NO_NAME };
  if (!turn) return { allow: false, reason: NOBODY };
  const decision = await turn.connect(name, addressOf(name, port)).catch(() => undefined); // the turn was stopped
  if (decision?.allow) return { allow: true };
  return { allow: false, reason: decision?.reason ?? 'The user denied this connection.' };
}

function addressOf(name: string, port: number): string {
  if (port === 80) return `http://${name}/`;
  return port === 443 ? `https://${name}/` : `https://${name}:${port}/`;
}
