import type { AhpAdapter } from '../../../../sidecar/dialect/ahpAdapter.ts';
import { openAdapter, tellState } from './openAdapter.ts';

export const error = { errorType: 'provider', message: 'gone' };
export const message = { text: 'hi', origin: { kind: 'user' } };
export const call = {
  toolCallId: 'k',
  toolName: 'n',
  displayName: 'N',
  invocationMessage: 'Run',
  confirmed: 'not-needed',
};
export const auth = { reason: 'required', resource: { resource: 'https://api.example' } };
export const session = { provider: 'claude', title: 'a', status: 1, lifecycle: 'ready', activeClients: [], chats: [] };
export const chat = { resource: 'host-chat:/c', title: 'a', status: 1, modifiedAt: '2026-01-01T00:00:00Z' };
export const off = { type: 'plugin', id: 'p', enabled: false };
export const offByScope = { ...off, enablement: [{ kind: 'session', enabled: false }] };
export const remarkShown = { id: 'a', resource: 'file:///a', resolved: false, entries: [] };
export const remark = { ...remarkShown, turnId: 't' };
export const beside = (of: string) => ({ kind: 'sideChat', chat: of, turnId: 't' });
export const agent = { provider: 'claude', displayName: 'C', description: 'c', models: [{ id: 'm' }] };
export const open = { ...agent, protectedResources: [] };
export const file = { id: 'file:///a', edit: {} };

export interface Row {
  readonly says: string;
  readonly channel: string;
  readonly host: object;
  readonly shown: Readonly<Record<string, object | undefined>>;
}

/** A face that looked at the session, so that its agent and its chat are known. */
export function knowing(version: string): AhpAdapter {
  const face = openAdapter(version);
  tellState(face, 'host-session:/u', { ...session, defaultChat: 'host-chat:/c' });
  return face;
}
