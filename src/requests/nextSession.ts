import type { PendingRequest } from '../client/attention.ts';

/** The session after the one that is open, of those that wait for a person; the first of them otherwise. */
export function nextSession(pending: readonly PendingRequest[], active: string | undefined): string | undefined {
  const waiting = [...new Set(pending.map((it) => it.session.resource))];
  return waiting[(waiting.indexOf(active ?? '') + 1) % waiting.length];
}
