import assert from 'node:assert/strict';
import type { ManagementDeps } from '../../../../../sidecar/gateway/management/managementDeps.ts';
import { recordHandlers } from '../../../../../sidecar/gateway/management/recordHandlers.ts';
import type { Call } from '../../../../../sidecar/gateway/management/route.ts';
import { Fault } from '../../../../../sidecar/platform/faults.ts';
import type { BudgetRecord } from '../../../../../sidecar/protocol/gateway/limits.ts';
import { type Managed, openManaged, start } from '../../../../support/gateway/managed.ts';

const stamps = { created_at: start, created_by: 'root', updated_at: start, updated_by: 'root' };

describe('handlers of records', () => {
  let api: Managed;
  let deps: ManagementDeps;
  beforeEach(async () => {
    let ids = 0;
    api = await openManaged();
    deps = { store: api.store, clock: api.clock, newId: () => `fresh ${++ids}` } as unknown as ManagementDeps;
  });
  afterEach(() => api.close());

  const handlersOf = (more: Partial<Parameters<typeof recordHandlers<'budget'>>[0]> = {}) =>
    recordHandlers({ kind: 'budget', id: 'budget_id', ...more });
  const callWith = (body: object, params: Record<string, string> = {}, isAdmin = true) =>
    ({ body, params, actor: { id: 'root', changedBy: undefined }, caller: { isAdmin, key: {} } }) as unknown as Call<
      unknown,
      object
    >;
  const isCode = (code: string) => (thrown: unknown) => thrown instanceof Fault && thrown.code === code;
  const kept = () => api.store.budget.all();

  for (const { title, id, expected } of [
    { title: 'A new record has the id that the request names.', id: 'mine', expected: 'mine' },
    { title: 'A new record without an id in the request gets a fresh one.', id: undefined, expected: 'fresh 1' },
    {
      title: 'A new record whose id the request leaves empty with null gets a fresh one.',
      id: null,
      expected: 'fresh 1',
    },
  ])
    it(title, async () => {
      const { status, body } = await handlersOf().create(201)(callWith({ budget_id: id, max_budget: 5 }), deps);
      assert.deepEqual([status, body], [201, { budget_id: expected, max_budget: 5, ...stamps }]);
      assert.deepEqual(await kept(), [body]);
    });

  for (const { title, body, params } of [
    { title: 'An update finds the record by the id in the body.', body: { budget_id: 'mine' }, params: {} },
    { title: 'An update finds the record by the id in the path.', body: {}, params: { budget_id: 'mine' } },
  ])
    it(`${title} It changes what is named, and null takes away.`, async () => {
      await handlersOf().create()(callWith({ budget_id: 'mine', max_budget: 5, rpm_limit: 1 }), deps);
      const call = callWith({ ...body, max_budget: 6, rpm_limit: null, tpm_limit: undefined }, params);
      const answer = await handlersOf().update(call, deps);
      assert.deepEqual(answer.body, { budget_id: 'mine', max_budget: 6, rpm_limit: null, ...stamps });
      assert.deepEqual(await kept(), [answer.body]);
    });

  it('A check that refuses leaves nothing written, and gets the id only of a record that is updated.', async () => {
    const asked: unknown[] = [];
    const check = async (_deps: ManagementDeps, fields: Partial<BudgetRecord>, id?: string) => {
      asked.push([fields, id]);
      throw new Fault('invalid_params', 'not so');
    };
    const { create, update } = handlersOf({ check });
    await assert.rejects(create()(callWith({ budget_id: 'mine', max_budget: 5 }), deps), isCode('invalid_params'));
    await assert.rejects(update(callWith({ budget_id: 'mine', max_budget: 6 }), deps), isCode('invalid_params'));
    assert.deepEqual(asked, [
      [{ max_budget: 5 }, undefined],
      [{ max_budget: 6 }, 'mine'],
    ]);
    assert.deepEqual(await kept(), []);
  });

  it('Lists and single records are answered as their views, of visible records only.', async () => {
    const views = async (_deps: ManagementDeps, records: readonly BudgetRecord[]) =>
      records.map((it) => ({ shown: it.budget_id }));
    const handlers = handlersOf({ views, isVisible: (_call, it) => it.budget_id !== 'hidden' });
    for (const budget_id of ['a', 'hidden']) {
      const { body } = await handlers.create()(callWith({ budget_id }), deps);
      assert.deepEqual(body, { shown: budget_id });
    }
    assert.deepEqual((await handlers.list(callWith({}), deps)).body, [{ shown: 'a' }]);
    assert.deepEqual((await handlers.read(callWith({}), deps, 'a')).body, { shown: 'a' });
    await assert.rejects(handlers.read(callWith({}), deps, 'hidden'), isCode('not_found'));
  });

  it('Who may not see all is refused in the same words for a hidden record and for one that is not there.', async () => {
    const handlers = handlersOf({ isVisible: () => false, hidden: 'Not yours.' });
    await handlers.create()(callWith({ budget_id: 'a' }), deps);
    for (const id of ['a', 'absent']) {
      await assert.rejects(
        handlers.read(callWith({}, {}, false), deps, id),
        (thrown) => thrown instanceof Fault && thrown.code === 'forbidden' && thrown.message === 'Not yours.',
      );
      await assert.rejects(handlers.read(callWith({}), deps, id), isCode('not_found'));
    }
  });
});
