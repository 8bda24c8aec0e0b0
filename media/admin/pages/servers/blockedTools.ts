import type { TemplateResult } from 'lit';
import { plural } from '../../../shared/l10n.ts';
import type { Routes } from '../../gateway.ts';
import { badge } from '../../records/cells.ts';
import { visible } from '../../records/lookups.ts';

/** How many of the latest changes of tools are read. */
const LATEST = 1_000;

export const blockedBadge = (count: number): TemplateResult =>
  badge('warn', 'warning', plural(count, '{0} tool blocked', '{0} tools blocked'));

/** How many tools of a server wait for approval. */
export const countBlocked = async (routes: Routes, id: string, signal?: AbortSignal): Promise<number> =>
  (await visible(routes.pins(id, signal))).filter((it) => it.held).length;

/**
 * How many tools of each server wait for approval; none for a server that is not in the answer. The audit says which servers
 * changed a tool: only those are asked.
 */
export async function readBlocked(
  routes: Routes,
  ids: readonly string[],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, number>> {
  const query = { table_name: 'tool', action: 'drift', page_size: LATEST };
  const changes = await visible(routes.audit(query, signal).then((it) => it.rows));
  const asked = ids.filter((id) => changes.some((it) => it.object_id.startsWith(`${id}/`)));
  const counts = await Promise.all(asked.map(async (id) => [id, await countBlocked(routes, id, signal)] as const));
  return new Map(counts.filter(([, count]) => count > 0));
}
