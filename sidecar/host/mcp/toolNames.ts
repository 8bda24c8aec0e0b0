import type { ToolDefinition } from '../../protocol/shared.ts';
import type { RunningServer } from './runningServer.ts';

export interface ServerTool {
  readonly server: RunningServer;
  /** Its name at the server. */
  readonly own: string;
  /** As the session offers it: under a name that no other tool of the session's servers has. */
  readonly definition: ToolDefinition;
}

/** The tools of several servers in one name space. Of two with one name, the later is called after its server too. */
export function nameTools(servers: readonly { readonly id: string; readonly server: RunningServer }[]): ServerTool[] {
  const taken = new Set<string>();
  return servers.flatMap(({ id, server }) =>
    server.tools.map((tool): ServerTool => {
      const name = free(tool.name, server.name, taken);
      taken.add(name);
      const _meta = { customizationId: id, server: server.name, ...(name !== tool.name && { name: tool.name }) };
      return { server, own: tool.name, definition: { ...tool, name, _meta } };
    }),
  );
}

function free(own: string, server: string, taken: ReadonlySet<string>): string {
  if (!taken.has(own)) return own;
  const base = `${server.replace(/[^A-Za-z0-9_-]+/g, '_')}_${own}`;
  let name = base;
  for (let at = 2; taken.has(name); at += 1) name = `${base}_${at}`;
  return name;
}
