import * as z from 'zod';
import type { CredentialAnswer } from '../../../../sidecar/protocol/gateway/answers.ts';
import { modelProviderNames, modelProviders } from '../../../../sidecar/protocol/gateway/modelProviders/index.ts';
import { t } from '../../../shared/l10n.ts';
import { type FormGroup, fieldsOf } from '../../form/formSpec.ts';
import type { Routes } from '../../gateway.ts';

/** The provider of the pass-through (spec, Cloud-agent pass-through). */
export const cloudAgents = 'cloudagents';

const Entry = z.object({
  credential_name: z.string(),
  credential_info: z.object({ custom_llm_provider: z.string(), description: z.string().nullish() }),
  credential_values: z.object({ api_key: z.string(), api_base: z.string().nullish() }),
});

export function credentialGroups(row: CredentialAnswer | undefined): readonly FormGroup[] {
  return [
    {
      title: t('Credential'),
      fields: fieldsOf(Entry, {
        ...(!row && { credential_name: { label: t('Name'), isRequired: true } }),
        'credential_info.custom_llm_provider': {
          label: t('Provider'),
          isRequired: true,
          help: t(
            'A model provider, "cloudagents" for the cloud-agents service, or the name that agents use to refer to the provider.',
          ),
          options: [
            ...modelProviderNames.map((it) => ({ value: it, label: modelProviders[it].label })),
            { value: cloudAgents, label: t('Cloud agents') },
          ],
        },
        'credential_info.description': { label: t('Description') },
        'credential_values.api_key': { label: t('API key'), kind: 'secret', isRequired: !row },
      }),
    },
  ];
}

export function saveCredential(routes: Routes, body: Record<string, unknown>, row: CredentialAnswer | undefined) {
  return row ? routes.updateCredential(row.credential_name, body) : routes.createCredential(body);
}
