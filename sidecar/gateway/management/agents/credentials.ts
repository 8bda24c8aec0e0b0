import * as z from 'zod';
import { CredentialRecord, CredentialWrite } from '../../../protocol/gateway/agent.ts';
import { modelProviderNames, modelProviders } from '../../../protocol/gateway/modelProviders/index.ts';
import type { Beside } from '../../storage/records.ts';
import type { ManagementDeps } from '../managementDeps.ts';
import { MASK } from '../mask.ts';
import { ok, type Route, route } from '../route.ts';
import { change, create, created, existing, remove } from '../writes.ts';

const tag = 'credentials';

const fields = [{ name: 'api_key', label: 'API key' }] as const;
/** Providers that the pages offer, with the fields of each. Credentials can be stored for any other name too. */
export const providers = [
  { provider: 'cloudagents', label: 'Cloud agents', fields },
  ...modelProviderNames.map((provider) => ({ provider, label: modelProviders[provider].label, fields })),
  { provider: 'azure', label: 'Azure', fields },
];

const View = z.object({
  credential_name: z.string(),
  credential_info: CredentialRecord.shape.credential_info,
  /** Names of what is kept; what it says is never shown. */
  credential_values: z.record(z.string(), z.string()),
  created_at: z.string(),
  updated_at: z.string(),
});
const Done = z.object({ success: z.boolean(), message: z.string() });

const view = ({ credential_name, credential_info, value_names, created_at, updated_at }: CredentialRecord) => ({
  credential_name,
  credential_info,
  credential_values: Object.fromEntries(value_names.map((it) => [it, MASK])),
  created_at,
  updated_at,
});

function sealing({ store }: ManagementDeps, name: string, values: Readonly<Record<string, string>>): Beside {
  return async (transaction) => {
    const secrets = store.secrets.within(transaction);
    for (const [field, value] of Object.entries(values)) await secrets.put('credential', name, field, value);
  };
}

const newCredential = route({
  method: 'POST',
  path: '/credentials',
  who: 'admin',
  tag,
  summary: 'Stores a provider credential. Its values are encrypted and never shown',
  body: CredentialWrite,
  answer: Done,
  async handle(call, deps) {
    const { credential_name, credential_info, credential_values } = call.body;
    const value_names = Object.keys(credential_values);
    const record = { credential_name, credential_info, value_names, ...created(call, deps) };
    const seal = sealing(deps, credential_name, credential_values);
    await create(call, deps, 'credential', credential_name, record, 'created', seal);
    return ok({ success: true, message: `The credential '${credential_name}' was created.` });
  },
});

const listCredentials = route({
  method: 'GET',
  path: '/credentials',
  who: 'viewer',
  tag,
  summary: 'Lists provider credentials without their values',
  answer: z.object({ success: z.boolean(), credentials: z.array(View) }),
  handle: async (_call, { store }) =>
    ok({ success: true, credentials: (await store.credential.all()).map((it) => view(it)) }),
});

const listProviders = route({
  method: 'GET',
  path: '/credentials/providers',
  who: 'viewer',
  tag,
  summary: 'Lists the providers for which you can store credentials, along with their fields',
  answer: z.array(
    z.object({
      provider: z.string(),
      label: z.string(),
      fields: z.array(z.object({ name: z.string(), label: z.string() })),
    }),
  ),
  handle: () => Promise.resolve(ok(providers)),
});

const readCredential = route({
  method: 'GET',
  path: '/credentials/by_name/{credential_name}',
  who: 'viewer',
  tag,
  summary: 'Returns one credential without its values',
  answer: View,
  handle: async (call, deps) => ok(view(await existing(deps, 'credential', call.params['credential_name']!))),
});

const changeCredential = route({
  method: 'PATCH',
  path: '/credentials/{credential_name}',
  who: 'admin',
  tag,
  summary: 'Updates the given fields. A value shown as ******** is left unchanged',
  body: CredentialWrite.omit({ credential_name: true }).partial(),
  answer: Done,
  async handle(call, deps) {
    const name = call.params['credential_name']!;
    await existing(deps, 'credential', name);
    const { credential_info, credential_values = {} } = call.body;
    const values = Object.fromEntries(Object.entries(credential_values).filter(([, it]) => it !== MASK));
    const next = (it: CredentialRecord) => ({
      ...it,
      ...(credential_info && { credential_info }),
      value_names: [...new Set([...it.value_names, ...Object.keys(values)])],
    });
    await change(call, deps, 'credential', name, next, 'updated', sealing(deps, name, values));
    return ok({ success: true, message: `The credential '${name}' was updated.` });
  },
});

const deleteCredential = route({
  method: 'DELETE',
  path: '/credentials/{credential_name}',
  who: 'admin',
  tag,
  summary: 'Deletes a credential and its values',
  answer: Done,
  async handle(call, deps) {
    const name = call.params['credential_name']!;
    await existing(deps, 'credential', name);
    await remove(call, deps, 'credential', name, (transaction) =>
      deps.store.secrets.within(transaction).remove('credential', name),
    );
    return ok({ success: true, message: `The credential '${name}' was deleted.` });
  },
});

export const credentialRoutes: readonly Route[] = [
  newCredential,
  listCredentials,
  listProviders,
  readCredential,
  changeCredential,
  deleteCredential,
];
