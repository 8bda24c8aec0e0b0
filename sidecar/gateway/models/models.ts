import { Fault } from '../../platform/faults.ts';
import { type HttpResponse, TextResponse } from '../../platform/httpMessages.ts';
import { readBodyBytes } from '../../platform/requestBody.ts';
import type { Runtime } from '../../platform/runtime.ts';
import {
  isModelName,
  type ModelRecord,
  type ModelSecretFields,
  providerModelFor,
} from '../../protocol/gateway/model.ts';
import { providedModel } from '../../protocol/gateway/modelProviders/index.ts';
import type { Accounting } from '../activity/accounting.ts';
import type { CallContext } from '../auth/caller.ts';
import type { Directory } from '../auth/directory.ts';
import type { Permissions } from '../auth/permissions.ts';
import type { Pool } from '../backends/net/pool.ts';
import { ForOwner } from '../routing/forOwner.ts';
import { type RouteCall, templateOf } from '../routing/route.ts';
import { BackendChoice } from './backendChoice.ts';
import { describeModel, type ModelDescription } from './describe.ts';
import type { ModelGate } from './modelGate.ts';
import { type ModelCall, type ModelOperation, readModelCall } from './readCall.ts';
import { type RelayDeps, relayModelCall } from './relay.ts';
import { subAgentOf } from './subAgents.ts';

/** Bodies can contain images and documents. */
const MAX_BODY_BYTES = 32 * 1024 * 1024;

export interface ModelsDeps extends Pick<Runtime, 'clock' | 'timers' | 'random'> {
  readonly directory: Pick<Directory, 'registered' | 'listen'>;
  readonly permissions: Permissions;
  readonly accounting: Accounting;
  readonly pool: Pool;
  readonly gate?: ModelGate | undefined;
  /** Models whose limits are counted are its owner's. */
  readonly isWorker?: boolean;
  readonly secrets: { model(id: string): ModelSecretFields | Promise<ModelSecretFields> };
  readonly providers: {
    keyOf(provider: string): Promise<string | undefined>;
    keyNamed(name: string): Promise<string | undefined>;
  };
}

/** What the model routes do. */
export interface Models {
  /** @throws {Fault} */
  relay(call: RouteCall, operation: ModelOperation, alias?: string): Promise<HttpResponse>;
  /** The models that the caller may use. */
  list(call: RouteCall): Promise<HttpResponse>;
  /** One of these models. @throws {Fault} `not_found` */
  read(call: RouteCall): Promise<HttpResponse>;
  /** For the pages: what a backend costs, and whether it is avoided at this replica. */
  describe(record: ModelRecord): Promise<ModelDescription>;
}

export function openModels(deps: ModelsDeps): Models {
  const choice = new BackendChoice(deps.clock, deps.random);
  deps.directory.listen((kind, id) => {
    if (kind === 'model') choice.forget(id);
  });
  const relayDeps: RelayDeps = {
    ...deps,
    choice,
    keyOf: (backend) => keyOf(deps, backend),
    others: (call, context) => othersFor(deps, call, context),
  };

  return {
    async relay({ request, context, route }, operation, named) {
      const recording = deps.accounting.begin(context, {
        endpoint: templateOf(route),
        call_type: operation.callType,
        model: '',
      });
      try {
        if (request.headers.get('content-encoding')) throw compressed();
        const bytes = await readBodyBytes(request, MAX_BODY_BYTES);
        if (bytes === undefined) throw tooLarge();
        const body = bytes instanceof Buffer ? bytes : Buffer.from(bytes);
        const call = readModelCall(operation, body, named);
        recording.note({ model: call.alias, model_group: call.alias });
        if (subAgentOf(context) !== undefined) recording.note({ metadata: { sub_agent: true } });
        const backends = await backendsFor(deps, call.alias, operation, context);
        // Their limits are counted in one process.
        if (deps.isWorker && backends.some((it) => it.gateway_params.rpm || it.gateway_params.tpm))
          throw new ForOwner(body);
        recording.content?.request(body);
        return await relayModelCall(relayDeps, call, backends, context, recording);
      } catch (thrown) {
        if (thrown instanceof ForOwner) throw thrown;
        const fault = context.signal.aborted ? left() : thrown instanceof Fault ? thrown : undefined;
        recording.finish({
          status: 'failure',
          error: fault?.message ?? 'internal error',
          error_code: fault?.code ?? 'internal',
        });
        throw thrown;
      }
    },
    async list({ context }) {
      const data = await usable(deps, context);
      const ends = { first_id: data[0]?.id ?? null, last_id: data.at(-1)?.id ?? null };
      return TextResponse.json({ object: 'list', data, has_more: false, ...ends });
    },
    async read({ context, params }) {
      const name = params['model'] ?? '';
      const [record] = await recordsOf(deps, name, context);
      if (!record) throw notAllowed(name);
      return TextResponse.json(view(name, record));
    },
    describe: (record) => describeModel(record, choice, deps.clock.nowMs()),
  };
}

/** By name: registered models, and names that a pattern serves and the caller's permissions list. */
async function usable({ directory, permissions }: ModelsDeps, { caller }: CallContext) {
  const { models, catalogue } = await directory.registered();
  const access = await permissions.of(caller);
  const byName = new Map(models.map((it) => [it.model_name, it]));
  return [...access.models].toSorted().flatMap((name) => {
    const record = byName.get(catalogue.modelNameFor(name) ?? '');
    return record ? [view(name, record)] : [];
  });
}

/** The backends that serve a model name; none if the caller may not use it. */
async function recordsOf(
  { directory, permissions }: ModelsDeps,
  name: string,
  { caller }: CallContext,
): Promise<readonly ModelRecord[]> {
  const access = permissions.of(caller);
  if (!(access instanceof Promise ? await access : access).allowsModel(name)) return [];
  const known = directory.registered();
  const { models, catalogue } = known instanceof Promise ? await known : known;
  const registered = catalogue.modelNameFor(name);
  const found = models.filter((it) => it.model_name === registered);
  // The part of the name that replaces the `*` of a pattern becomes part of a URL.
  return registered === name ? found : isModelName(name) ? found.map((it) => calledBy(it, name)) : [];
}

/** The record of a pattern, for one of the names that it serves. */
const calledBy = (record: ModelRecord, name: string): ModelRecord => ({
  ...record,
  gateway_params: {
    ...record.gateway_params,
    model: providerModelFor(record.gateway_params.model, record.model_name, name),
  },
});

/** Has the members of both OpenAI's and Anthropic's format. Clients ignore the members of the other one. */
const view = (name: string, { created_at }: ModelRecord) => ({
  id: name,
  object: 'model',
  type: 'model',
  display_name: name,
  created: Math.floor(Date.parse(created_at) / 1_000),
  created_at,
  owned_by: 'switchboard',
});

/** @throws {Fault} `forbidden` if the model is not allowed or does not exist; `invalid_params` if this path does not serve it */
async function backendsFor(
  deps: ModelsDeps,
  alias: string,
  { dialect }: ModelOperation,
  context: CallContext,
): Promise<readonly ModelRecord[]> {
  const ofName = await recordsOf(deps, alias, context);
  if (ofName.length === 0) throw notAllowed(alias);
  const speaking = ofName.filter((it) => dialectsOf(it).includes(dialect));
  if (speaking.length > 0) return speaking;
  const paths = [...new Set(ofName.flatMap(dialectsOf))].map((it) => pathOf[it as keyof typeof pathOf]);
  throw new Fault(
    'invalid_params',
    `'model' is '${alias}', which is not served at this path. Use ${paths.join(' or ')}.`,
    { data: { field: 'model' } },
  );
}

/** Other models that the caller can use at the same path, by names that can be called. */
async function othersFor(deps: ModelsDeps, { alias, operation }: ModelCall, context: CallContext) {
  const { models } = await deps.permissions.of(context.caller);
  const others: (readonly [string, readonly ModelRecord[]])[] = [];
  for (const name of models) {
    if (name === alias) continue;
    const records = await recordsOf(deps, name, context);
    others.push([name, records.filter((it) => dialectsOf(it).includes(operation.dialect))]);
  }
  return others;
}

const dialectsOf = ({ gateway_params: { model } }: ModelRecord): readonly string[] =>
  Object.keys(providedModel(model)?.definition.dialects ?? {});

const pathOf = {
  chat: '/v1/chat/completions',
  responses: '/v1/responses',
  messages: '/v1/messages',
  gemini: '/v1beta/models/{model}:generateContent',
} as const;

/**
 * The credential of a backend: its own, the one that it names, or else the provider's. The provider's credential is sent only to the
 * provider's own address.
 */
async function keyOf({ secrets, providers }: ModelsDeps, backend: ModelRecord): Promise<string | undefined> {
  const { model, credential_name, api_base } = backend.gateway_params;
  const { api_key } = await secrets.model(backend.model_id);
  if (api_key) return api_key;
  const provided = providedModel(model);
  const isOwnAddress = !api_base || api_base === provided?.definition.apiBase;
  const key = credential_name
    ? await providers.keyNamed(credential_name)
    : isOwnAddress && provided
      ? await providers.keyOf(provided.provider)
      : undefined;
  if (key !== undefined || (!credential_name && provided?.definition.needsKey === false)) return key;
  throw new Fault(
    'invalid_params',
    credential_name
      ? `The credential '${credential_name}' of the model '${backend.model_name}' does not exist or has no key. Ask an administrator to add it under LLM Credentials.`
      : `The model '${backend.model_name}' has no key. Ask an administrator to set one for the model or to add a credential for its provider.`,
    { data: { field: 'model' } },
  );
}

const notAllowed = (alias: string) =>
  new Fault('forbidden', `This key is not allowed to use the model '${alias.slice(0, 256)}', or it does not exist.`, {
    data: { field: 'model', reason: 'key_model_access_denied' },
  });
const compressed = () =>
  new Fault('invalid_params', "'content-encoding' is not supported. Send the body uncompressed.", {
    data: { field: 'content-encoding' },
  });
const tooLarge = () =>
  new Fault('too_large', `The body is larger than ${MAX_BODY_BYTES} bytes.`, {
    data: { field: 'body', maxBytes: MAX_BODY_BYTES },
  });
const left = () => new Fault('unavailable', 'The caller disconnected.');
