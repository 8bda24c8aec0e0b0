import { isIP } from 'node:net';
import type { AsksAboutConnections, ConnectionDecision } from './connections.ts';

/** The last part begins with a letter: numbers are addresses, in one of their spellings. */
const hostName = /^(?=.{1,253}$)(?:[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?\.)*[a-z](?:[a-z0-9-]*[a-z0-9])?$/;
const NOBODY = 'No turn is running, so nobody can be asked.';
const NO_NAME = 'Programs in the sandbox can connect only to hosts that have a name.';

/** @param turn the one that runs in the session of the program */
export async function decideConnection(
  turn: AsksAboutConnections | undefined,
  host: string,
  port: number,
): Promise<ConnectionDecision> {
  const name = host.toLowerCase().replace(/\.$/, '');
  // An address stands for any name, and a name with other characters could pass for a part of a rule.
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
