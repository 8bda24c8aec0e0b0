import * as z from 'zod';
import { ModelAccessAnswer, ModelAnswer } from '../../../protocol/gateway/answers.ts';
import { ModelRecord, ModelUpdate, ModelWrite, modelAddress } from '../../../protocol/gateway/model.ts';
import { providedModel } from '../../../protocol/gateway/modelProviders/index.ts';
import { Id } from '../../../protocol/gateway/stamps.ts';
import type { ManagementDeps } from '../managementDeps.ts';
import { MASK } from '../mask.ts';
import { type Call, ok, type Route, route } from '../route.ts';
import { seesAll } from '../standing.ts';
import { remove } from '../writes.ts';
import { usersOfModels } from './access.ts';
import { addModel, changeModel, readModelSecrets } from './save.ts';

const tag = 'models';

/** For callers that can use the model but not manage it. */
const OpenView = ModelRecord.pick({ model_id: true, model_name: true, model_info: true });

async function viewOf(deps: ManagementDeps, record: ModelRecord): Promise<ModelAnswer> {
  const { gateway_params } = record;
  const { api_key } = await readModelSecrets(deps, record.model_id);
  return {
    ...record,
    gateway_params: { ...gateway_params, ...(api_key && { api_key: MASK }) },
    provider: providedModel(gateway_params.model)?.provider ?? null,
    address: modelAddress(gateway_params) ?? null,
    ...(await deps.describeModel(record)),
  };
}

const newModel = route({
  method: 'POST',
  path: '/model/new',
  who: 'admin',
  tag,
  summary: 'Adds a model. Its key is encrypted and is shown only in masked form',
  body: ModelWrite,
  answer: ModelAnswer,
  handle: async (call, deps) => ok(await viewOf(deps, await addModel(call, deps, call.body))),
});

const updateModel = route({
  method: 'POST',
  path: '/model/update',
  who: 'admin',
  tag,
  summary: 'Updates the given fields of a model. A null value clears a field',
  body: ModelUpdate,
  answer: ModelAnswer,
  handle: async (call, deps) => ok(await viewOf(deps, await changeModel(call, deps, call.body))),
});

const deleteModel = route({
  method: 'POST',
  path: '/model/delete',
  who: 'admin',
  tag,
  summary: 'Deletes a model and its key',
  body: z.strictObject({ model_id: Id }),
  answer: z.object({ model_id: z.string(), message: z.string() }),
  async handle(call, deps) {
    const { model_id } = call.body;
    const { model_name } = await remove(call, deps, 'model', model_id, (transaction) =>
      deps.store.secrets.within(transaction).remove('model', model_id),
    );
    return ok({ model_id, message: `The model '${model_name}' was deleted.` });
  },
});

/** Read from the store, because the cached records that serve calls may be older. */
async function visible(call: Call, deps: ManagementDeps): Promise<readonly ModelRecord[]> {
  const all = await deps.store.model.all();
  if (seesAll(call.caller)) return all;
  const access = await deps.permissions.of(call.caller);
  return all.filter((it) => access.allowsSomeOf(it.model_name));
}

const modelInfo = route({
  method: 'GET',
  path: '/model/info',
  who: 'any',
  tag,
  summary:
    'Lists the models that you are allowed to use. Administrators also see where each one is served, what it costs, and whether the replica that answers avoids it',
  query: z.object({ model_id: Id.optional() }),
  answer: z.object({ data: z.array(z.union([ModelAnswer, OpenView])) }),
  async handle(call, deps) {
    const { model_id } = call.query;
    const found = (await visible(call, deps)).filter((it) => model_id === undefined || it.model_id === model_id);
    const data = seesAll(call.caller)
      ? await Promise.all(found.map((it) => viewOf(deps, it)))
      : found.map((it) => OpenView.parse(it));
    return ok({ data });
  },
});

const modelAccess = route({
  method: 'GET',
  path: '/model/access',
  who: 'viewer',
  tag,
  summary:
    'Lists the teams and keys that can use each model. Keys that are blocked, expired, or limited to other routes are not counted',
  query: z.object({ model_name: ModelRecord.shape.model_name.optional() }),
  answer: ModelAccessAnswer,
  async handle(call, deps) {
    const { model_name } = call.query;
    const names = new Set((await deps.store.model.all()).map((it) => it.model_name));
    const asked = [...names].filter((it) => model_name === undefined || it === model_name).toSorted();
    return ok({ data: await usersOfModels(deps, asked) });
  },
});

export const modelRoutes: readonly Route[] = [newModel, updateModel, deleteModel, modelInfo, modelAccess];
