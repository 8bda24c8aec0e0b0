import { isRecord } from '../../../platform/isRecord.ts';
import { mcpErrors, type RpcRequest } from '../../../protocol/gateway/mcpWire.ts';
import { BackendFailure, garbled } from './failure.ts';
import { nestsDeeper } from './nestsDeeper.ts';
import { ask } from './replies.ts';
import type { McpBackend, RequestOptions } from './types.ts';

/** Methods that answer with pages, and the member that holds the items. */
export const listMembers = {
  'tools/list': 'tools',
  'prompts/list': 'prompts',
  'resources/list': 'resources',
  'resources/templates/list': 'resourceTemplates',
} as const;
export type ListMethod = keyof typeof listMembers;
export type Item = Readonly<Record<string, unknown>>;

export interface ListLimits {
  readonly maxPages: number;
  readonly maxItems: number;
}
export const listLimits: ListLimits = { maxPages: 64, maxItems: 10_000 };

/**
 * All pages of one server's list. A server that has no such list has an empty one.
 *
 * @param options `meta`: `_meta` of the caller's request, which the modern era requires
 * @param onPage called with each page
 * @throws {BackendFailure} `garbage` where pages never end, repeat a cursor, or are none
 */
export async function listAll(
  backend: McpBackend,
  name: string,
  method: ListMethod,
  options: RequestOptions & { readonly meta?: unknown },
  onPage: (result: Item) => void = () => undefined,
  limits: ListLimits = listLimits,
): Promise<readonly Item[]> {
  const items: Item[] = [];
  const seen = new Set<string>();
  let cursor: string | undefined;
  for (let page = 0; page < limits.maxPages; page += 1) {
    const params = {
      ...(cursor !== undefined && { cursor }),
      ...(options.meta !== undefined && { _meta: options.meta }),
    };
    const request: RpcRequest = { jsonrpc: '2.0', id: `sb-list-${page}`, method, params };
    const answer = await ask(backend, name, request, options);
    if ('error' in answer) {
      if (answer.error.code === mcpErrors.methodNotFound) return [];
      throw new BackendFailure(
        'garbage',
        `The MCP server '${name}' could not list its items (error ${answer.error.code}).`,
        {
          mayHaveRun: true,
        },
      );
    }
    const found: unknown = answer.result[listMembers[method]];
    if (!Array.isArray(found) || nestsDeeper(found)) throw garbled(name);
    onPage(answer.result);
    items.push(...found.filter((it): it is Item => isRecord(it)));
    if (items.length > limits.maxItems) throw endless(name);
    const next = answer.result['nextCursor'];
    if (typeof next !== 'string') return items;
    if (seen.has(next)) throw endless(name);
    seen.add(next);
    cursor = next;
  }
  throw endless(name);
}

const endless = (name: string) =>
  new BackendFailure('garbage', `The MCP server '${name}' returned a list with too many pages.`, { mayHaveRun: true });
