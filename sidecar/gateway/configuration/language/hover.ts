import { findNodeAtOffset, getNodePath } from 'jsonc-parser';
import type { Draft } from './configLanguage.ts';
import { nameReference, valueReference } from './references.ts';
import { wordsAt } from './schemaAt.ts';

export interface Hover {
  /** How the server is that is named here. */
  readonly health?: string | undefined;
  /** What the JSON schema says, too. */
  readonly words?: string | undefined;
  readonly offset: number;
  readonly length: number;
}

/** What the member means, and how the server is that it names. */
export function hoverAt(draft: Draft, offset: number): Hover | undefined {
  const { root } = draft.source;
  const node = root && findNodeAtOffset(root, offset);
  if (!node || node.type === 'object' || node.type === 'array' || node.type === 'property') return undefined;
  const path = getNodePath(node);
  const isName = node.parent?.type === 'property' && node.parent.children?.[0] === node;
  const at = (it: Parameters<Draft['at']>[0]) => draft.at(it);
  const reference = isName ? nameReference(path, at) : valueReference(path, at);
  const isServer = reference?.kind === 'server' || (isName && path.length === 2 && path[0] === 'mcp_servers');
  const id = isServer ? idOf(draft, String(node.value)) : '';
  const words = wordsAt(path);
  const health = isServer ? healthOf(draft, String(node.value), id) : undefined;
  return health || words ? { health, words, offset: node.offset, length: node.length } : undefined;
}

const idOf = (draft: Draft, name: string) => {
  const id = draft.at(['mcp_servers', name, 'server_id']);
  return typeof id === 'string' ? id : name;
};

function healthOf({ names }: Draft, name: string, id: string): string {
  const server = names.server(id) ?? names.server(name);
  if (!server) return `${name}: not registered yet. The gateway is not running or has not read this file.`;
  const { health = 'unknown', tools, trouble } = server;
  const counted = tools ? `, ${tools.length} ${tools.length === 1 ? 'tool' : 'tools'}` : '';
  return `${name}: ${health}${counted}${trouble ? ` (${trouble})` : ''}`;
}
