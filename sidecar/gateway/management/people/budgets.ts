import * as z from 'zod';
import { Fault } from '../../../platform/faults.ts';
import { BudgetRecord, limitShape } from '../../../protocol/gateway/limits.ts';
import { Id } from '../../../protocol/gateway/stamps.ts';
import type { ManagementDeps } from '../managementDeps.ts';
import { recordHandlers } from '../recordHandlers.ts';
import { type Answer, ok, type Route, route } from '../route.ts';
import { existing, remove } from '../writes.ts';

const tag = 'budgets';
const budgets = recordHandlers({ kind: 'budget', id: 'budget_id' });

const newBudget = route({
  method: 'POST',
  path: '/budget/new',
  who: 'admin',
  tag,
  summary: 'Creates a budget that keys, teams, organizations, and end users can use',
  body: z.strictObject({ budget_id: Id.nullish(), ...limitShape }),
  answer: BudgetRecord,
  handle: budgets.create(),
});

const updateBudget = route({
  method: 'POST',
  path: '/budget/update',
  who: 'admin',
  tag,
  summary: 'Updates the given fields. A null value clears a field',
  body: z.strictObject({ budget_id: Id, ...limitShape }),
  answer: BudgetRecord,
  handle: budgets.update,
});

const deleteBudget = route({
  method: 'POST',
  path: '/budget/delete',
  who: 'admin',
  tag,
  summary: 'Deletes a budget that is not in use',
  body: z.strictObject({ id: Id }),
  answer: BudgetRecord,
  async handle(call, deps) {
    const { id } = call.body;
    await checkUnused(deps, id);
    return ok(await remove(call, deps, 'budget', id));
  },
});

/** Whoever refers to a budget that is gone would have no limit. @throws {Fault} `conflict` */
async function checkUnused({ store }: ManagementDeps, id: string): Promise<void> {
  for (const kind of ['key', 'team', 'organization', 'end_user'] as const) {
    const all: readonly { readonly budget_id?: string | null | undefined }[] = await store[kind].all();
    const uses = all.filter((it) => it.budget_id === id).length;
    if (uses === 0) continue;
    throw new Fault('conflict', `This budget is still in use (${kind} records: ${uses}).`, {
      data: { field: 'id' },
    });
  }
}

const some = async (ids: readonly string[], deps: ManagementDeps): Promise<Answer> =>
  ok(await Promise.all(ids.map((id) => existing(deps, 'budget', id))));

const budgetsInfo = route({
  method: 'POST',
  path: '/budget/info',
  who: 'viewer',
  tag,
  summary: 'Returns several budgets by their IDs',
  isRead: true,
  body: z.strictObject({ budgets: z.array(Id).min(1).max(1_000) }),
  answer: z.array(BudgetRecord),
  handle: (call, deps) => some(call.body.budgets, deps),
});

const budgetInfo = route({
  method: 'GET',
  path: '/budget/info',
  who: 'viewer',
  tag,
  summary: 'Returns one budget by its ID',
  query: z.object({ budget_id: Id }),
  answer: z.array(BudgetRecord),
  handle: (call, deps) => some([call.query.budget_id], deps),
});

const listBudgets = route({
  method: 'GET',
  path: '/budget/list',
  who: 'viewer',
  tag,
  summary: 'Lists all budgets',
  answer: z.array(BudgetRecord),
  handle: budgets.list,
});

export const budgetRoutes: readonly Route[] = [
  newBudget,
  updateBudget,
  deleteBudget,
  budgetsInfo,
  budgetInfo,
  listBudgets,
];
