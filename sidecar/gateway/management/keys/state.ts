import * as z from 'zod';
import type { ManagementDeps } from '../managementDeps.ts';
import { badField } from '../read.ts';
import { type Call, ok, route } from '../route.ts';
import { audit, change, remove } from '../writes.ts';
import { KeyView } from './generate.ts';
import { checkSwitch, findKey } from './place.ts';
import { keyView } from './view.ts';

const OneKey = z.strictObject({ key: z.string().min(1) });
const Deletion = z.strictObject({
  keys: z.array(z.string().min(1)).max(1_000).nullish(),
  key_aliases: z.array(z.string().min(1)).max(1_000).nullish(),
});

/** Ends a key; its record stays, so that the log still knows whose calls they were. */
export async function endKey(call: Pick<Call, 'actor'>, deps: ManagementDeps, token: string): Promise<void> {
  const record = await deps.store.key.get(token);
  if (!record) return;
  await deps.store.deleted_key.remove(token);
  await deps.store.deleted_key.insert({ ...record, updated_at: deps.clock.now(), updated_by: call.actor.id });
  await remove(call, deps, 'key', token);
}

export const deleteKeys = route({
  method: 'POST',
  path: '/key/delete',
  who: 'any',
  tag: 'keys',
  summary: 'Deletes keys by value, hash, or alias',
  body: Deletion,
  answer: z.object({ deleted_keys: z.array(z.string()) }),
  async handle(call, deps) {
    const { keys = [], key_aliases = [] } = call.body;
    if (!keys?.length && !key_aliases?.length) throw badField('keys', "or 'key_aliases' is required");
    const byAlias = await Promise.all(
      (key_aliases ?? []).map(async (alias) => {
        const found = await deps.store.key.byAlias(alias);
        return findKey(call, deps, found?.token ?? '', '/key/delete');
      }),
    );
    const byKey = await Promise.all((keys ?? []).map((it) => findKey(call, deps, it, '/key/delete')));
    for (const it of [...byKey, ...byAlias]) await endKey(call, deps, it.token);
    return ok({ deleted_keys: [...byKey.map((it) => it.token), ...byAlias.map((it) => it.key_alias!)] });
  },
});

const switching = (path: '/key/block' | '/key/unblock', blocked: boolean, summary: string) =>
  route({
    method: 'POST',
    path,
    who: 'any',
    tag: 'keys',
    summary,
    body: OneKey,
    answer: KeyView,
    async handle(call, deps) {
      const key = await findKey(call, deps, call.body.key, '/key/block');
      await checkSwitch(call, deps, key, blocked);
      const next = await change(
        call,
        deps,
        'key',
        key.token,
        (it) => ({ ...it, blocked }),
        blocked ? 'blocked' : 'unblocked',
      );
      return ok(await keyView(deps, next));
    },
  });
export const blockKey = switching('/key/block', true, 'Blocks a key so that all its calls are refused');
export const unblockKey = switching('/key/unblock', false, 'Unblocks a key');

export const resetSpend = route({
  method: 'POST',
  path: '/key/{key}/reset_spend',
  who: 'admin',
  tag: 'keys',
  summary: "Sets the spend that counts against a key's budget. Daily activity does not change",
  body: z.strictObject({ reset_to: z.number().min(0).default(0) }),
  answer: z.object({
    key_hash: z.string(),
    spend: z.number(),
    previous_spend: z.number(),
    max_budget: z.number().nullable(),
    budget_reset_at: z.string().nullable(),
  }),
  async handle(call, deps) {
    const key = await findKey(call, deps, call.params['key']!, '/key/update');
    const { reset_to } = call.body;
    const before = await deps.spending.reset('key', key, reset_to);
    const [spent, max_budget] = [before.spend, key.max_budget ?? null];
    await audit(call, deps, 'updated', 'key', key.token, { before: { spend: spent }, after: { spend: reset_to } });
    const budget_reset_at = before.budget_reset_at ?? null;
    return ok({ key_hash: key.token, spend: reset_to, previous_spend: spent, max_budget, budget_reset_at });
  },
});
