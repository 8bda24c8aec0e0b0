import { BoundedMap } from '../../../platform/boundedMap.ts';
import { callerOf, nameOf, type VisibleServer } from '../mcpDeps.ts';
import type { McpRequest } from '../mcpRequest.ts';
import { itemsOf } from './serverItems.ts';

const knownForMs = 60_000;
const maxKnown = 1_024;

/**
 * The tools of a server. They are asked for only when a call of one failed, so that a tool that exists nowhere is
 * refused in the words for a hidden one (`security.enumeration`).
 */
export class ToolNames {
  readonly #known = new BoundedMap<string, { readonly names: ReadonlySet<unknown>; readonly untilMs: number }>(
    maxKnown,
  );

  /** True also where the server cannot be asked: then its own answer stands. */
  async has(mcp: McpRequest, visible: VisibleServer, tool: string): Promise<boolean> {
    const key = `${callerOf(mcp.context)}\u0000${mcp.era}\u0000${visible.server.server_id}`;
    const known = this.#known.get(key);
    const now = mcp.deps.clock.monotonicMs();
    if (known && now < known.untilMs) return known.names.has(tool);
    try {
      const names = await this.#ask(mcp, visible);
      this.#known.set(key, { names, untilMs: now + knownForMs });
      return names.has(tool);
    } catch (thrown) {
      mcp.deps.log.warn({ server: nameOf(visible.server), thrown }, "A server's tools could not be listed.");
      return true;
    }
  }

  forget(): void {
    this.#known.clear();
  }

  async #ask(mcp: McpRequest, visible: VisibleServer): Promise<ReadonlySet<unknown>> {
    const { options, timers } = mcp.deps;
    const starting = () => AbortSignal.any([mcp.signal, timers.deadline(options.listTimeoutMs)]);
    const meta = mcp.era === 'modern' ? mcp.request.params?.['_meta'] : undefined;
    const tools = await itemsOf(mcp, visible, { method: 'tools/list', starting, meta });
    return new Set(tools.map((it) => it['name']));
  }
}
