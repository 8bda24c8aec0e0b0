import * as z from 'zod';
import { Fault } from '../../../platform/faults.ts';
import {
  AlertTargetAnswer,
  AlertTargetUpdate,
  AlertTargetWrite,
  AlertTestAnswer,
} from '../../../protocol/gateway/alerts/answers.ts';
import {
  AlertTargetRecord,
  type AlertTargetSecrets,
  alertAddress,
  alertTargetProblem,
} from '../../../protocol/gateway/alerts/target.ts';
import { Id } from '../../../protocol/gateway/stamps.ts';
import { readTargetSecrets } from '../../storage/alerts/targetSecrets.ts';
import type { Beside } from '../../storage/records.ts';
import { sealedNames } from '../../storage/sealedValues.ts';
import type { ManagementDeps } from '../managementDeps.ts';
import { MASK } from '../mask.ts';
import { badField } from '../read.ts';
import { ok, type Route, route } from '../route.ts';
import { change, checkOurs, checkSame, create, created, existing, named, remove, unlessOvertaken } from '../writes.ts';

const tag = 'alerts';

async function viewOf({ store }: ManagementDeps, record: AlertTargetRecord): Promise<AlertTargetAnswer> {
  const names = Object.keys(await readTargetSecrets(store.secrets, record.target_name));
  return { ...record, ...Object.fromEntries(names.map((it) => [it, MASK])) };
}

const sealing =
  ({ store }: ManagementDeps, name: string, secrets: AlertTargetSecrets): Beside =>
  (transaction) =>
    store.secrets.within(transaction).put('alert_target', name, sealedNames.credentials, JSON.stringify(secrets));

type Written = Partial<Record<keyof AlertTargetSecrets, string | null | undefined>>;

/** What is kept after a write: {@link MASK} and what is not named stay, null goes. */
function merged(held: AlertTargetSecrets, written: Written): AlertTargetSecrets {
  const next: Record<string, string | undefined> = { ...held };
  for (const [name, value] of Object.entries(written)) {
    if (value === null) delete next[name];
    else if (value !== undefined && value !== MASK) next[name] = value;
  }
  return next;
}

/** The record as it is kept. @throws {Fault} `invalid_params` naming the field */
async function checked(
  { backends }: ManagementDeps,
  record: AlertTargetRecord,
  secrets: AlertTargetSecrets,
): Promise<AlertTargetRecord> {
  const problem = alertTargetProblem(record, (name) => secrets[name] !== undefined);
  if (problem) throw badField(problem.field, problem.message);
  const { type, allow_private_network, smtp_host } = record;
  const policy = { allowPrivate: allow_private_network === true };
  if (type === 'email') await backends.checkAddress(`https://${smtp_host ?? ''}`, policy, 'smtp_host');
  else await backends.checkAddress(secrets.url ?? '', policy, 'url');
  const origin = secrets.url === undefined ? undefined : new URL(secrets.url).origin;
  return { ...record, address: alertAddress(record, origin) };
}

const newTarget = route({
  method: 'POST',
  path: '/alert/target/new',
  who: 'admin',
  tag,
  summary: 'Adds a target for alerts. Its secrets are encrypted and are shown only in masked form',
  body: AlertTargetWrite,
  answer: AlertTargetAnswer,
  async handle(call, deps) {
    const { target_name, url, secret, smtp_password, ...fields } = call.body;
    const secrets = merged({}, { url, secret, smtp_password });
    const record = await checked(deps, { target_name, ...named(fields), ...created(call, deps) }, secrets);
    await create(call, deps, 'alert_target', target_name, record, 'created', sealing(deps, target_name, secrets));
    return ok(await viewOf(deps, record));
  },
});

const updateTarget = route({
  method: 'POST',
  path: '/alert/target/update',
  who: 'admin',
  tag,
  summary: 'Updates the given fields. A secret shown as ******** is left unchanged, and a null value clears a field',
  body: AlertTargetUpdate,
  answer: AlertTargetAnswer,
  handle: (call, deps) =>
    unlessOvertaken(async () => {
      const { target_name, url, secret, smtp_password, ...fields } = call.body;
      const before = await existing(deps, 'alert_target', target_name);
      checkOurs(before);
      const held = await readTargetSecrets(deps.store.secrets, target_name);
      const secrets = merged(held, { url, secret, smtp_password });
      const record = await checked(deps, { ...before, ...named(fields) }, secrets);
      // A password must not be sent to another server than the one that it was entered for.
      const isKept = held.smtp_password !== undefined && secrets.smtp_password === held.smtp_password;
      if (isKept && record.address !== before.address)
        throw badField('smtp_password', 'is required again because the address changes');
      const next = (it: AlertTargetRecord) => {
        checkSame(it, before);
        return record;
      };
      const seal = sealing(deps, target_name, secrets);
      return ok(await viewOf(deps, await change(call, deps, 'alert_target', target_name, next, 'updated', seal)));
    }),
});

const deleteTarget = route({
  method: 'POST',
  path: '/alert/target/delete',
  who: 'admin',
  tag,
  summary: 'Deletes a target that no rule uses',
  body: z.strictObject({ target_name: Id }),
  answer: AlertTargetRecord,
  async handle(call, deps) {
    const { target_name } = call.body;
    const users = (await deps.store.alert_rule.all()).filter((it) => it.targets.includes(target_name));
    if (users.length > 0)
      throw new Fault('conflict', `This target is still in use (alert rules: ${users.length}).`, {
        data: { field: 'target_name' },
      });
    return ok(
      await remove(call, deps, 'alert_target', target_name, (transaction) =>
        deps.store.secrets.within(transaction).remove('alert_target', target_name),
      ),
    );
  },
});

const testTarget = route({
  method: 'POST',
  path: '/alert/target/test',
  who: 'admin',
  tag,
  summary: 'Sends a test alert to a target, and returns whether it was taken',
  body: z.strictObject({ target_name: Id }),
  answer: AlertTestAnswer,
  async handle(call, deps) {
    const error = await deps.testAlert(await existing(deps, 'alert_target', call.body.target_name));
    return ok({ success: error === undefined, error: error ?? null });
  },
});

const listTargets = route({
  method: 'GET',
  path: '/alert/target/list',
  who: 'viewer',
  tag,
  summary: 'Lists the targets for alerts, with masked secrets',
  answer: z.array(AlertTargetAnswer),
  handle: async (_call, deps) =>
    ok(await Promise.all((await deps.store.alert_target.all()).map((it) => viewOf(deps, it)))),
});

export const alertTargetRoutes: readonly Route[] = [newTarget, updateTarget, deleteTarget, testTarget, listTargets];
