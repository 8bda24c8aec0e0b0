import type { ToolCallContributor } from '../../protocol/channels/chat/toolCalls.ts';
import type { SessionState } from '../../protocol/channels/session/schema.ts';
import type { ToolDefinition } from '../../protocol/shared.ts';

/** A tool under the name by which the agent knows it. */
export interface NamedTool {
  /** Unique in the session. */
  readonly name: string;
  readonly contributor: Extract<ToolCallContributor, { kind: 'client' | 'mcp' }>;
  /** As its contributor offers it: a client under its own name for it, a server under the session's. */
  readonly definition: ToolDefinition;
}

/** Before the name of a client's tool where the host has one of that name. */
const CLIENT_PREFIX = 'client_';

/**
 * All tools of a session in one flat name space. Where several clients offer one name, the tool of the client that
 * started the turn counts, otherwise that of the client which came first.
 */
export function offeredTools(
  state: Pick<SessionState, 'serverTools' | 'activeClients'>,
  starter: string | undefined,
): NamedTool[] {
  const ofHost = state.serverTools ?? [];
  const taken = new Set(ofHost.map((it) => it.name));
  const isStarter = (clientId: string) => (clientId === starter ? 0 : 1);
  const clients = [...state.activeClients].sort((a, b) => isStarter(a.clientId) - isStarter(b.clientId));
  const offered = new Map<string, NamedTool>();
  for (const { clientId, tools } of clients) {
    for (const definition of tools) {
      if (offered.has(definition.name)) continue;
      const name = freeName(definition.name, taken);
      taken.add(name);
      offered.set(definition.name, { name, contributor: { kind: 'client', clientId }, definition });
    }
  }
  return [...ofHost.flatMap((it) => toServerTool(it) ?? []), ...offered.values()];
}

function toServerTool(definition: ToolDefinition): NamedTool | undefined {
  const customizationId = definition._meta?.['customizationId'];
  return typeof customizationId === 'string'
    ? { name: definition.name, contributor: { kind: 'mcp', customizationId }, definition }
    : undefined;
}

function freeName(own: string, taken: ReadonlySet<string>): string {
  let name = own;
  while (taken.has(name)) name = `${CLIENT_PREFIX}${name}`;
  return name;
}
