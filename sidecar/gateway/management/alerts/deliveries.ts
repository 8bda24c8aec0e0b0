import * as z from 'zod';
import { momentOf } from '../../../platform/clock.ts';
import {
  type AlertDeliveryAnswer,
  AlertDeliveryListAnswer,
  AlertDeliveryState,
} from '../../../protocol/gateway/alerts/answers.ts';
import { Id } from '../../../protocol/gateway/stamps.ts';
import { type AlertDeliveries, messageOf } from '../../storage/alerts/alertDeliveries.ts';
import { pagesOf } from '../paging.ts';
import { whole } from '../read.ts';
import { ok, type Route, route } from '../route.ts';
import { audit } from '../writes.ts';

const tag = 'alerts';
type Row = Awaited<ReturnType<AlertDeliveries['list']>>['rows'][number];

function viewOf(row: Row): AlertDeliveryAnswer {
  const { id, target, rule, count, state, attempts, created_ms, due_ms, next_ms, ended_ms, error } = row;
  const { type, events } = messageOf(row);
  const nextMs = Math.max(due_ms, next_ms);
  return {
    ...{ id, target, rule, type, count, state, attempts, error, events },
    created_at: momentOf(created_ms),
    next_attempt_at: state === 'waiting' ? momentOf(nextMs) : null,
    ended_at: ended_ms === null ? null : momentOf(ended_ms),
  };
}

const listDeliveries = route({
  method: 'GET',
  path: '/alert/delivery/list',
  who: 'viewer',
  tag,
  summary: 'Lists alert messages, newest first: those that wait, those that were delivered, and dead letters',
  query: z.object({
    state: AlertDeliveryState.optional(),
    target: Id.optional(),
    page: whole(1, 1_000_000).default(1),
    page_size: whole(1, 500).default(50),
  }),
  answer: AlertDeliveryListAnswer,
  async handle(call, { store }) {
    const { page, page_size: limit, ...query } = call.query;
    const { rows, total } = await store.alertDeliveries.list({ ...query, limit, offset: (page - 1) * limit });
    return ok({ deliveries: rows.map(viewOf), total, page, total_pages: pagesOf(total, limit) });
  },
});

const resendDelivery = route({
  method: 'POST',
  path: '/alert/delivery/resend',
  who: 'admin',
  tag,
  summary: 'Sends a dead letter again, under the same ID',
  body: z.strictObject({ id: Id }),
  answer: z.object({ id: z.string(), message: z.string() }),
  async handle(call, deps) {
    const { id } = call.body;
    await deps.store.alertDeliveries.resend(id, deps.clock.nowMs());
    await audit(call, deps, 'updated', 'alert_delivery', id);
    return ok({ id, message: 'The message will be sent again.' });
  },
});

export const alertDeliveryRoutes: readonly Route[] = [listDeliveries, resendDelivery];
