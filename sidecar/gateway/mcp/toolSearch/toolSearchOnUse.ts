import type { Item } from '../../backends/mcp/listAll.ts';
import type { Reply } from '../../backends/mcp/types.ts';
import type { McpRequest } from '../mcpRequest.ts';
import { addressTool, callTool } from '../methods/callTool.ts';
import type { Gathered } from '../methods/gathering.ts';
import type { McpState } from '../session/mcpState.ts';
import { metaNames } from './metaNames.ts';
import type { ToolSearch } from './toolSearch.ts';

const isMetaName = (name: unknown): boolean => name === metaNames.search || name === metaNames.call;

/** The search among tools. Its code is loaded with the first list that is long enough. */
export class ToolSearchOnUse {
  #opening: Promise<ToolSearch> | undefined;
  #opened: ToolSearch | undefined;

  open(): Promise<ToolSearch> {
    return (this.#opening ??= this.#load());
  }

  async #load(): Promise<ToolSearch> {
    const { ToolSearch } = await import('./toolSearch.ts');
    this.#opened = new ToolSearch();
    return this.#opened;
  }

  /** What callers may use, or what servers have, changed. */
  forget(): void {
    this.#opened?.forget();
  }
}

/** `tools/call`: of a tool, or of one of the two that stand for a long list. */
export function callOrSearch(mcp: McpRequest, state: McpState): Promise<Reply> {
  const name = mcp.request.params?.['name'];
  const isOff = mcp.deps.options.toolSearchAbove === undefined;
  return isOff || typeof name !== 'string' || !isMetaName(name) ? callTool(mcp, state) : callMetaTool(mcp, state, name);
}

async function callMetaTool(mcp: McpRequest, state: McpState, name: string): Promise<Reply> {
  const own = addressTool(mcp, name);
  const isOwn = own?.server.allows(own.name) && (await state.toolNames.has(mcp, own.server, own.name));
  if (isOwn) return callTool(mcp, state);
  const search = await state.toolSearch.open();
  return name === metaNames.search ? search.find(mcp) : search.call(mcp, state);
}

/**
 * What a list shows instead of its tools; `undefined` if it shows them: they are few, or one of them has the name of a tool
 * that would stand for them.
 *
 * @param gathered absent if these are only a part of the caller's tools
 */
export async function shownInstead(
  mcp: McpRequest,
  { toolSearch }: McpState,
  tools: readonly Item[],
  gathered?: Gathered,
): Promise<readonly Item[] | undefined> {
  const { toolSearchAbove: above } = mcp.deps.options;
  if (above === undefined || tools.length <= above) return undefined;
  const own = tools.find((it) => isMetaName(it['name']));
  if (own) {
    mcp.deps.log.warn(
      { name: own['name'] },
      'A list is shown as a whole, because one of its tools has the name of a tool of tool search.',
    );
    return undefined;
  }
  return (await toolSearch.open()).shown(mcp, tools.length, gathered);
}
