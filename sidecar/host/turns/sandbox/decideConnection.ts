import { isIP } from 'node:net';
import type { BegunTurn, ConnectionDecision, SessionNotes } from './connections.ts';

/** The last label begins with a letter: otherwise, the host can be an IP address in one of its notations. */
const hostName = /^(?=.{1,253}$)(?:[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?\.)*[a-z](?:[a-z0-9-]*[a-z0-9])?$/;
const NOBODY = 'No turn is running, so nobody can be asked.';
const NO_NAME = 'Programs in the sandbox can connect only to hosts that have a name.';

/** Hosts that the programs of a session can ask about in one turn. A program could otherwise ask without end. */
export const MOST_HOSTS = 100;
const TOO_MANY = 'Programs in the sandbox tried to connect to too many hosts in this turn.';

/** @param begun the running turn of the program's session */
export async function decideConnection(
  begun: BegunTurn | undefined,
  host: string,
  port: number,
  notes: SessionNotes,
): Promise<ConnectionDecision> {
  const name = host.toLowerCase().replace(/\.$/, '');
  // Any name can resolve to an address, and other characters have a meaning in the patterns of rules.
  if (isIP(name.replace(/^\[|\]$/g, '')) !== 0 || !hostName.test(name)) return { allow: false, reason: NO_NAME };
  const address = addressOf(name, port);
  if (!begun) {
    if (notes.missed.size < MOST_MISSED) notes.missed.set(address, name);
    return { allow: false, reason: NOBODY };
  }
  const { turn, asked } = begun;
  if (!asked.has(address) && asked.size >= MOST_HOSTS) return { allow: false, reason: TOO_MANY };
  asked.add(address);
  const decision = await turn.connect(name, address, notes).catch(() => undefined); // the turn was stopped
  if (decision?.allow) return { allow: true };
  return { allow: false, reason: decision?.reason ?? 'The user denied this connection.' };
}

/** Connections without a turn that are asked about in the next turn. */
const MOST_MISSED = 10;

/** Asks about the connections that were denied because no turn was running. The turn does not wait for the answers. */
export function askAboutMissed({ turn, asked }: BegunTurn, notes: SessionNotes): void {
  for (const [address, host] of notes.missed) {
    asked.add(address);
    turn.connect(host, address, notes).catch(() => undefined); // the turn was stopped
  }
}

function addressOf(name: string, port: number): string {
  if (port === 80) return `http://${name}/`;
  return port === 443 ? `https://${name}/` : `https://${name}:${port}/`;
}
