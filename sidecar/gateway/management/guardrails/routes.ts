import * as z from 'zod';
import { Fault } from '../../../platform/faults.ts';
import { Guardrail, GuardrailName, GuardrailRecord } from '../../../protocol/gateway/guardrail.ts';
import { GuardrailAnswer, GuardrailTryAnswer } from '../../../protocol/gateway/guardrails/answers.ts';
import { Id } from '../../../protocol/gateway/stamps.ts';
import type { Beside } from '../../storage/records.ts';
import type { ManagementDeps } from '../managementDeps.ts';
import { ok, type Route, route } from '../route.ts';
import { seesAll } from '../standing.ts';
import { audit, change, create, created, existing, remove } from '../writes.ts';

const tag = 'guardrails';
const Secret = z.string().min(1).max(8_192);

const listGuardrails = route({
  method: 'GET',
  path: '/guardrails/list',
  who: 'any',
  tag,
  summary:
    'Lists the guardrails for tool calls, in the order in which they run. Keys and teams can add guardrails to those that always run',
  answer: z.object({ guardrails: z.array(GuardrailAnswer) }),
  handle: (call, { guardrails }) =>
    Promise.resolve(
      ok({
        guardrails: guardrails.all().map(({ gateway_params, ...info }) => ({
          ...info,
          ...(seesAll(call.caller) && { gateway_params }),
        })),
      }),
    ),
});

/** What is written of a guardrail. Its secret is write-only. */
const Written = { ...Guardrail.shape, secret: Secret.nullish() };

const newGuardrail = route({
  method: 'POST',
  path: '/guardrails/new',
  who: 'admin',
  tag,
  summary: 'Creates a guardrail, which runs after all others. Every replica applies it',
  body: z.preprocess(withSecret, z.strictObject(Written)),
  answer: GuardrailRecord,
  async handle(call, deps) {
    const { guardrail_name: name, gateway_params, secret } = call.body;
    if (deps.guardrails.all().some((it) => it.guardrail_name === name))
      throw new Fault('already_exists', `A guardrail named '${name}' already exists. Choose another name.`, {
        data: { field: 'guardrail_name' },
      });
    checkSecret(gateway_params, Boolean(secret));
    const all = await deps.store.guardrail.all();
    const position = Math.max(0, ...all.map((it) => it.position)) + 1;
    const record = { guardrail_name: name, gateway_params, position, ...created(call, deps) };
    const made = await create(call, deps, 'guardrail', name, record, 'created', sealing(deps, name, secret));
    await deps.guardrails.applied();
    return ok(made);
  },
});

const updateGuardrail = route({
  method: 'POST',
  path: '/guardrails/update',
  who: 'admin',
  tag,
  summary:
    'Replaces the parameters of a guardrail. Its secret is kept unless a new one is given. A url on another server needs a new one',
  body: z.preprocess(withSecret, z.strictObject(Written)),
  answer: GuardrailRecord,
  async handle(call, deps) {
    const { guardrail_name: name, gateway_params, secret } = call.body;
    checkOurs(deps, name);
    const kept = (await deps.store.secrets.get('guardrail', name, 'secret')) !== undefined;
    await existing(deps, 'guardrail', name);
    const next = (it: GuardrailRecord): GuardrailRecord => {
      checkSecret(gateway_params, Boolean(secret) || (kept && !isElsewhere(it.gateway_params, gateway_params)));
      return { ...it, gateway_params };
    };
    const changed = await change(call, deps, 'guardrail', name, next, 'updated', sealing(deps, name, secret));
    await deps.guardrails.applied();
    return ok(changed);
  },
});

const deleteGuardrail = route({
  method: 'POST',
  path: '/guardrails/delete',
  who: 'admin',
  tag,
  summary: 'Deletes a guardrail that no key, team, or server refers to',
  body: z.strictObject({ guardrail_name: GuardrailName }),
  answer: GuardrailRecord,
  async handle(call, deps) {
    const { guardrail_name: name } = call.body;
    checkOurs(deps, name);
    await checkUnused(deps, name);
    const removed = await remove(call, deps, 'guardrail', name, (transaction) =>
      deps.store.secrets.within(transaction).remove('guardrail', name),
    );
    await deps.guardrails.applied();
    return ok(removed);
  },
});

const orderGuardrails = route({
  method: 'POST',
  path: '/guardrails/order',
  who: 'admin',
  tag,
  summary: 'Sets the order in which guardrails run. Those of the configuration file always run first',
  body: z.strictObject({ guardrail_names: z.array(GuardrailName).max(1_000) }),
  answer: z.object({ guardrails: z.array(z.string()) }),
  async handle(call, deps) {
    const { guardrail_names: names } = call.body;
    const all = await deps.store.guardrail.all();
    const known = all.map((it) => it.guardrail_name);
    if (
      new Set(names).size !== names.length ||
      known.length !== names.length ||
      names.some((it) => !known.includes(it))
    )
      throw new Fault(
        'invalid_params',
        'The list must contain each guardrail that is not in the configuration file exactly once.',
        { data: { field: 'guardrail_names' } },
      );
    const before = all.toSorted((a, b) => a.position - b.position).map((it) => it.guardrail_name);
    for (const [at, name] of names.entries())
      await deps.store.guardrail.update(name, (it) => ({ ...it, position: at + 1 }));
    await audit(call, deps, 'updated', 'guardrail', 'order', { before, after: names });
    await deps.guardrails.applied();
    return ok({ guardrails: names });
  },
});

const tryGuardrails = route({
  method: 'POST',
  path: '/guardrails/try',
  who: 'admin',
  tag,
  isRead: true,
  summary: 'Returns what each guardrail would do to a tool call. The call is not made and not recorded',
  body: z.strictObject({
    server_id: Id.nullish(),
    tool: z.string().min(1).max(256),
    arguments: z.record(z.string(), z.unknown()).default({}),
    result: z.record(z.string(), z.unknown()).nullish(),
    guardrail_names: z.array(GuardrailName).max(1_000).nullish(),
  }),
  answer: GuardrailTryAnswer,
  async handle(call, deps) {
    const { server_id: id, guardrail_names: names, result, ...asked } = call.body;
    const server = id == null ? undefined : await existing(deps, 'mcp_server', id);
    const tried = await deps.guardrails.tryOut(call.context, {
      ...asked,
      ...(server && { server }),
      ...(result && { result }),
      ...(names && { names }),
    });
    return ok({ guardrails: tried });
  },
});

/** A guardrail that administrators make names no place on the gateway's machine: its secret is kept with it. */
function withSecret(body: unknown): unknown {
  if (typeof body !== 'object' || body === null || !('gateway_params' in body)) return body;
  const { gateway_params: params } = body;
  if (typeof params !== 'object' || params === null || !('authentication' in params)) return body;
  if ('secret' in params || params.authentication === 'none') return body;
  return { ...body, gateway_params: { ...params, secret: { stored: true } } };
}

/** @throws {Fault} `invalid_params` naming the field */
function checkSecret(params: Guardrail['gateway_params'], hasSecret: boolean): void {
  if (params.guardrail !== 'http' || !params.secret) return;
  if (!('stored' in params.secret))
    throw new Fault(
      'invalid_params',
      'Set the secret in the secret member. Only the configuration file can refer to one.',
      {
        data: { field: 'secret' },
      },
    );
  if (!hasSecret)
    throw new Fault('invalid_params', 'secret is required with authentication bearer or hmac.', {
      data: { field: 'secret' },
    });
}

/** Whether the secret would go to another server than the one for which it was given. */
function isElsewhere(before: Guardrail['gateway_params'], after: Guardrail['gateway_params']): boolean {
  if (before.guardrail !== 'http' || after.guardrail !== 'http') return true;
  return new URL(before.url).origin !== new URL(after.url).origin;
}

/** Writes a secret with its record: all of it or nothing. */
function sealing({ store }: ManagementDeps, name: string, secret: string | null | undefined): Beside | undefined {
  if (!secret) return undefined;
  return (transaction) => store.secrets.within(transaction).put('guardrail', name, 'secret', secret);
}

/** @throws {Fault} `conflict` */
function checkOurs({ guardrails }: ManagementDeps, name: string): void {
  if (!guardrails.all().some((it) => it.guardrail_name === name && it.from_config)) return;
  throw new Fault('conflict', 'This guardrail comes from the configuration file. Change it there.', {
    data: { reason: 'from_config' },
  });
}

/** Calls of whoever refers to a guardrail that is gone are refused. @throws {Fault} `conflict` */
async function checkUnused({ store }: ManagementDeps, name: string): Promise<void> {
  for (const kind of ['key', 'team', 'mcp_server'] as const) {
    const all: readonly { readonly guardrails?: readonly string[] | null | undefined }[] = await store[kind].all();
    const uses = all.filter((it) => it.guardrails?.includes(name)).length;
    if (uses > 0)
      throw new Fault('conflict', `This guardrail is still in use (${kind} records: ${uses}).`, {
        data: { field: 'guardrail_name' },
      });
  }
}

export const guardrailRoutes: readonly Route[] = [
  listGuardrails,
  newGuardrail,
  updateGuardrail,
  deleteGuardrail,
  orderGuardrails,
  tryGuardrails,
];
