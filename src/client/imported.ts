import type { SessionSummary } from '../../sidecar/protocol/channels/session/schema.ts';

/** Whether a session was read from a file: its folders are elsewhere, and nothing runs in it. */
export function isImported({ _meta }: Pick<SessionSummary, '_meta'>): boolean {
  return _meta?.['imported'] !== undefined;
}
