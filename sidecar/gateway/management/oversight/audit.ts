import * as z from 'zod';
import { Day } from '../../../protocol/gateway/activityQueries.ts';
import { type ExportFormat, toCsv, toJsonLines } from '../../../protocol/gateway/csv.ts';
import { addDays } from '../../activity/days.ts';
import type { GatewayStore } from '../../storage/store.ts';
import { exported, ListFormat } from '../exported.ts';
import { pagesOf } from '../paging.ts';
import { whole } from '../read.ts';
import { ok, route } from '../route.ts';

const Row = z.object({
  id: z.string(),
  updated_at: z.string(),
  changed_by: z.string(),
  /** Whom `changed_by` named in the header `x-gateway-changed-by`; nobody checked that. */
  on_behalf_of: z.string().nullable(),
  action: z.string(),
  table_name: z.string(),
  object_id: z.string(),
  before_value: z.unknown(),
  updated_values: z.unknown(),
  /** The email address of the user at that time. */
  user_email: z.string().nullable(),
  /**
   * `key`; `sign_in` for somebody who signed in with the identity provider; `invitation` for who accepted one; `scim` for an
   * identity provider; `jwt`, the issuer, and the subject of a signed token, with spaces between them.
   */
  signed_in_by: z.string().nullable(),
});

export const listAudit = route({
  method: 'GET',
  path: '/audit',
  who: 'viewer',
  tag: 'audit',
  summary: 'Lists changes and who made them, newest first',
  query: z.object({
    page: whole(1, 1e9).default(1),
    page_size: whole(1, 1_000).default(50),
    table_name: z.string().optional(),
    object_id: z.string().optional(),
    changed_by: z.string().optional(),
    action: z.string().optional(),
    /** The first and the last day, UTC. */
    start_date: Day.optional(),
    end_date: Day.optional(),
    format: ListFormat,
  }),
  answer: z.object({
    audit_logs: z.array(Row),
    total: z.int(),
    page: z.int(),
    page_size: z.int(),
    total_pages: z.int(),
  }),
  async handle({ query }, { store }) {
    const { page, page_size, table_name: kind, object_id, changed_by: actor, action, format } = query;
    const before = query.end_date === undefined ? undefined : addDays(query.end_date, 1);
    const filter = { kind, object_id, actor, action, from: query.start_date, before };
    if (format !== 'json') return exported(exportedAudit(store.audit.all(filter, PIECE), format), format, 'audit');
    const rows = await store.audit.list({ ...filter, limit: page_size, offset: (page - 1) * page_size });
    const total = await store.audit.count(filter);
    return ok({ audit_logs: rows.map(rowOf), total, page, page_size, total_pages: pagesOf(total, page_size) });
  },
});

type Entry = Awaited<ReturnType<GatewayStore['audit']['list']>>[number];

function rowOf(it: Entry): z.infer<typeof Row> {
  const value = (text: string | null): unknown => (text === null ? null : JSON.parse(text));
  return {
    id: it.id,
    updated_at: it.at,
    changed_by: it.actor,
    on_behalf_of: it.changed_by,
    action: it.action,
    table_name: it.kind,
    object_id: it.object_id,
    before_value: value(it.before),
    updated_values: value(it.after),
    user_email: it.actor_email,
    signed_in_by: it.signed_in_by,
  };
}

const PIECE = 1_000;

async function* exportedAudit(
  pieces: AsyncIterable<readonly Entry[]>,
  format: ExportFormat,
): AsyncGenerator<string, void> {
  if (format === 'csv') yield toCsv([Object.keys(Row.shape)]);
  for await (const piece of pieces)
    yield format === 'jsonl'
      ? toJsonLines(piece.map(rowOf))
      : toCsv(
          piece.map((it) => [
            it.id,
            it.at,
            it.actor,
            it.changed_by,
            it.action,
            it.kind,
            it.object_id,
            it.before,
            it.after,
            it.actor_email,
            it.signed_in_by,
          ]),
        );
}
