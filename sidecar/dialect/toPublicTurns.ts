import { isRecord } from '../platform/isRecord.ts';
import { type Json, mapList, mapMember } from './json.ts';
import type { View } from './publicClients.ts';
import { isAtLeast } from './publicVersions.ts';

/** Since 0.9 the error of a turn is its last part. */
export function toPublicTurn(turn: Json, view: View): Json {
  const shown = withoutAuth(turn, view);
  const { error, responseParts, ...others } = shown;
  if (!isAtLeast(view.version, 0, 9, 0) || error === undefined || !Array.isArray(responseParts)) return shown;
  return { ...others, responseParts: [...(responseParts as unknown[]), toErrorPart(error)] };
}

export function toErrorPart(error: unknown): Json {
  return { kind: 'error', error };
}

/** Before 0.6 no call waited for a token: such a one is shown as running. Finished turns hold none. */
export function withoutAuth(turn: Json, view: View): Json {
  if (isAtLeast(view.version, 0, 6, 0)) return turn;
  return mapList(turn, 'responseParts', (part) => mapMember(part, 'toolCall', toRunning));
}

function toRunning(call: Json): Json {
  if (call['status'] !== 'auth-required' || !isRecord(call['auth'])) return call;
  const { auth: _later, ...others } = call;
  return { ...others, status: 'running' };
}
