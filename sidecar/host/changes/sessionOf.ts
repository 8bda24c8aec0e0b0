import { Fault } from '../../platform/faults.ts';
import { parseSessionUri } from '../../protocol/uris.ts';

/** @throws {Fault} `session_not_found` for any other URI */
export function uuidOf(session: string): string {
  const uuid = parseSessionUri(session);
  if (uuid === undefined) throw new Fault('session_not_found', 'session not found');
  return uuid;
}

export function inTurnFault(): Fault {
  return new Fault(
    'turn_in_progress',
    'The agent is still working in this session. Wait for it to finish, or stop it first.',
  );
}
