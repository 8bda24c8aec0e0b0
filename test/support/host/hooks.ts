import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { HostPeer } from './hostPeer.ts';
import type { Workspace } from './workspace.ts';

/** `.claude/settings.json` with one shell command for each event. */
export function settings(commands: Readonly<Record<string, string | object>>, more: object = {}): string {
  const hooks = Object.fromEntries(
    Object.entries(commands).map(([event, it]) => [
      event,
      [{ hooks: [typeof it === 'string' ? { type: 'command', command: it } : it] }],
    ]),
  );
  return JSON.stringify({ hooks, ...more }, undefined, 2);
}
export const SETTINGS = '.claude/settings.json';

/** Appends what the hook is told to a file of the workspace. */
export const hear = 'cat >> "$CLAUDE_PROJECT_DIR/heard"';
/** What hooks heard so far. */
export function heard({ path }: Workspace): Record<string, unknown>[] {
  const file = join(path, 'heard');
  if (!existsSync(file)) return [];
  const lines = readFileSync(file, 'utf8').split('\n').filter(Boolean);
  return lines.map((it) => JSON.parse(it) as Record<string, unknown>);
}

/** What the host said in a chat besides the agent. */
export function notices(peer: HostPeer, chat: string): string[] {
  const { activeTurn, turns } = peer.chat(chat);
  const parts = (activeTurn ?? turns.at(-1))?.responseParts ?? [];
  return parts.flatMap((it) =>
    it.kind === 'systemNotification' ? [typeof it.content === 'string' ? it.content : it.content.markdown] : [],
  );
}
