import * as z from 'zod';
import { EndUserRecord, endUserShape } from '../../../protocol/gateway/people.ts';
import { Id } from '../../../protocol/gateway/stamps.ts';
import type { ManagementDeps } from '../managementDeps.ts';
import { badField } from '../read.ts';
import { recordHandlers } from '../recordHandlers.ts';
import { type Call, ok, type Route, route } from '../route.ts';
import { change, create, created, existing, named, remove } from '../writes.ts';

const tag = 'customers';
const Customer = z.strictObject({ user_id: Id, ...endUserShape });
const View = EndUserRecord.extend({ spend: z.number() });
const Ids = z.strictObject({ user_ids: z.array(Id).min(1).max(1_000) });

async function views({ spending }: ManagementDeps, records: readonly EndUserRecord[]) {
  const spent = await spending.of('end_user', records);
  return records.map((it, at) => ({ ...it, spend: spent[at]?.spend ?? 0 }));
}

/** Limits of its own, or those of a budget: not both. @throws {Fault} `invalid_params` */
async function checkBudget(deps: ManagementDeps, fields: Partial<EndUserRecord>, id?: string): Promise<void> {
  const before = id === undefined ? undefined : await existing(deps, 'end_user', id);
  const { max_budget, budget_id } = { ...before, ...named(fields) };
  if (typeof max_budget === 'number' && budget_id)
    throw badField('budget_id', "and 'max_budget' cannot be used together");
  if (budget_id && !(await deps.store.budget.get(budget_id)))
    throw badField('budget_id', 'refers to a budget that does not exist');
}

const customers = recordHandlers({ kind: 'end_user', id: 'user_id', check: checkBudget, views });

const newCustomer = route({
  method: 'POST',
  path: '/customer/new',
  who: 'admin',
  tag,
  summary: 'Registers an end user with limits and access that apply in addition to those of the key',
  body: Customer,
  answer: View,
  handle: customers.create(),
});

const updateCustomer = route({
  method: 'POST',
  path: '/customer/update',
  who: 'admin',
  tag,
  summary: 'Updates the given fields. A null value clears a field',
  body: Customer,
  answer: View,
  handle: customers.update,
});

const deleteCustomers = route({
  method: 'POST',
  path: '/customer/delete',
  who: 'admin',
  tag,
  summary: 'Deletes end users. Their calls stay in the log',
  body: Ids,
  answer: z.object({ deleted_customers: z.array(z.string()) }),
  async handle(call, deps) {
    for (const it of call.body.user_ids) await existing(deps, 'end_user', it);
    for (const it of call.body.user_ids) await remove(call, deps, 'end_user', it);
    return ok({ deleted_customers: call.body.user_ids });
  },
});

/** Also for one whom the gateway has not seen yet. */
async function switchOne(call: Call, deps: ManagementDeps, user_id: string, blocked: boolean): Promise<EndUserRecord> {
  const action = blocked ? 'blocked' : 'unblocked';
  if (blocked && !(await deps.store.end_user.get(user_id)))
    return create(call, deps, 'end_user', user_id, { user_id, blocked, ...created(call, deps) }, action);
  return change(call, deps, 'end_user', user_id, (it) => ({ ...it, blocked }), action);
}

const switching = (path: '/customer/block' | '/customer/unblock', blocked: boolean, summary: string) =>
  route({
    method: 'POST',
    path,
    who: 'admin',
    tag,
    summary,
    body: Ids,
    answer: z.object({ blocked_users: z.array(EndUserRecord) }),
    async handle(call, deps) {
      const changed: EndUserRecord[] = [];
      for (const it of call.body.user_ids) changed.push(await switchOne(call, deps, it, blocked));
      return ok({ blocked_users: changed.filter((it) => it.blocked) });
    },
  });

const customerInfo = route({
  method: 'GET',
  path: '/customer/info',
  who: 'viewer',
  tag,
  summary: 'Returns one end user with their spend',
  query: z.object({ end_user_id: Id }),
  answer: View,
  handle: (call, deps) => customers.read(call, deps, call.query.end_user_id),
});

const listCustomers = route({
  method: 'GET',
  path: '/customer/list',
  who: 'viewer',
  tag,
  summary: 'Lists all registered end users',
  answer: z.array(View),
  handle: customers.list,
});

export const customerRoutes: readonly Route[] = [
  newCustomer,
  updateCustomer,
  deleteCustomers,
  switching('/customer/block', true, 'Blocks end users so that all calls on their behalf are refused'),
  switching('/customer/unblock', false, 'Unblocks end users'),
  customerInfo,
  listCustomers,
];
