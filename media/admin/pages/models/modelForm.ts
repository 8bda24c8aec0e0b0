import type { ListedModel } from '../../../../sidecar/protocol/gateway/answers.ts';
import { ModelWrite } from '../../../../sidecar/protocol/gateway/model.ts';
import type { ModelProviderDefinition } from '../../../../sidecar/protocol/gateway/modelProviders/definition.ts';
import { modelProviderNames, modelProviderOf } from '../../../../sidecar/protocol/gateway/modelProviders/index.ts';
import { t } from '../../../shared/l10n.ts';
import { type FormField, type FormGroup, fieldsOf } from '../../form/formSpec.ts';
import { price } from '../../kit/format.ts';
import type { Option } from '../../kit/select.ts';
import type { priceFields } from './modelValues.ts';
import { networkOf } from './network.ts';

/** @param current returns what has been entered in a field so far */
export function modelGroups(
  current: (name: string) => string,
  credentials: readonly Option[],
  row: ListedModel | undefined,
): readonly FormGroup[] {
  const provider = modelProviderOf(current('provider'));
  return [
    { title: t('Model'), fields: nameFields(current, provider) },
    { title: t('Address'), fields: addressFields(current, provider) },
    { title: t('Key'), fields: keyFields(current, provider, credentials, row) },
    { title: t('Prices in US dollars per million tokens'), fields: pricesFields(row) },
    { title: t('Limits'), isFolded: true, fields: limitFields() },
    { title: t('More'), isFolded: true, fields: fieldsOf(ModelWrite, { model_info: { label: t('Information') } }) },
  ];
}

function nameFields(current: (name: string) => string, provider: ModelProviderDefinition | undefined): FormField[] {
  const isPattern = current('model_name').endsWith('*');
  const options = modelProviderNames.map((it) => ({ value: it, label: modelProviderOf(it)?.label ?? it }));
  return [
    ...fieldsOf(ModelWrite, {
      model_name: {
        label: t('Name'),
        isRequired: true,
        placeholder: 'smart',
        help: t(
          'The name that callers use. Backends with the same name share its calls. A * at the end stands for any ending, for example openai/*.',
        ),
      },
    }),
    { name: 'provider', label: t('Provider'), kind: 'choice', isRequired: true, options },
    {
      name: 'provider_model',
      label: t('Model at the provider'),
      kind: 'text',
      isRequired: true,
      placeholder: examples[provider?.label ?? ''] ?? '',
      help: isPattern
        ? t("A * at the end is replaced with the part of the caller's name that matches the * of the name.")
        : undefined,
    },
  ];
}

const examples: Readonly<Record<string, string>> = {
  OpenAI: 'gpt-5',
  Anthropic: 'claude-sonnet-4-5',
  'Google Gemini': 'gemini-2.5-pro',
  Ollama: 'llama3.2',
};

function addressFields(current: (name: string) => string, provider: ModelProviderDefinition | undefined): FormField[] {
  const address = current('gateway_params.api_base') || provider?.apiBase;
  const network = networkOf(address);
  return fieldsOf(ModelWrite, {
    'gateway_params.api_base': {
      label: t('Address'),
      isRequired: provider?.apiBase === undefined,
      placeholder: provider?.apiBase ?? 'https://models.example.com/v1',
      help: provider?.apiBase === undefined ? '' : t('Default: {0}', provider.apiBase),
    },
    'gateway_params.allow_private_network': {
      label: t('Allow addresses on this machine and on private networks'),
      help:
        network === 'machine'
          ? t('Required: {0} is on the machine that runs the gateway.', address ?? '')
          : network === 'private'
            ? t('Required: {0} is on a private network.', address ?? '')
            : t('Required if the host name resolves to such an address.'),
    },
  });
}

function keyFields(
  current: (name: string) => string,
  provider: ModelProviderDefinition | undefined,
  credentials: readonly Option[],
  row: ListedModel | undefined,
): FormField[] {
  const source = current('key_source');
  const [variable] = provider?.variables ?? [];
  const options = [
    { value: 'own', label: t('A key of this model') },
    { value: 'credential', label: t('An LLM credential') },
    {
      value: 'provider',
      label: provider?.needsKey === false ? t("None, or the provider's default") : t("The provider's default"),
    },
  ];
  const stored = variable
    ? t("The provider's newest LLM credential, or else {0}. Sent only to the provider's own address.", variable)
    : t('No key is sent.');
  return [
    {
      name: 'key_source',
      label: t('Key source'),
      kind: 'choice',
      isRequired: true,
      options,
      help: source === 'provider' ? stored : undefined,
    },
    ...(source === 'own'
      ? fieldsOf(ModelWrite, {
          'gateway_params.api_key': {
            label: t('API key'),
            kind: 'secret',
            isRequired: provider?.needsKey === true && !row?.gateway_params?.api_key,
            help: t('Stored encrypted and never shown again.'),
          },
        })
      : []),
    ...(source === 'credential'
      ? fieldsOf(ModelWrite, {
          'gateway_params.credential_name': {
            label: t('LLM credential'),
            kind: 'choice',
            isRequired: true,
            options: [{ value: '', label: t('Select one') }, ...credentials],
            help: credentials.length === 0 ? t('Add one under LLM Credentials first.') : '',
          },
        })
      : []),
  ];
}

function pricesFields(row: ListedModel | undefined): FormField[] {
  const listed = row?.prices?.source === 'price_table' ? row.prices : undefined;
  const field = (
    name: keyof typeof priceFields,
    label: string,
    value: number | undefined,
    help?: string,
  ): FormField => ({
    name,
    label,
    kind: 'number',
    help,
    placeholder: value === undefined ? undefined : price(value).slice(1),
  });
  const help = listed
    ? t('If empty, the price table of {0} applies.', listed.date ?? '')
    : t('If empty, the price table applies if it lists the model.');
  return [
    field('input_price', t('Input'), listed?.input, help),
    field('output_price', t('Output'), listed?.output),
    field(
      'cache_read_price',
      t('Input read from the cache'),
      listed?.cache_read,
      t('If empty, the input price applies if it is set.'),
    ),
    field('cache_creation_price', t('Input written to the cache'), listed?.cache_creation),
  ];
}

const limitFields = (): FormField[] =>
  fieldsOf(ModelWrite, {
    'gateway_params.weight': {
      label: t('Weight'),
      placeholder: '1',
      help: t('The share of the calls, relative to the other backends with the same name.'),
    },
    'gateway_params.rpm': { label: t('Requests per minute') },
    'gateway_params.tpm': { label: t('Tokens per minute') },
    'gateway_params.max_concurrent_requests': { label: t('Concurrent requests') },
    'gateway_params.timeout_s': {
      label: t('Timeout'),
      placeholder: '600',
      help: t('Seconds that a call can go without data from the provider before it fails.'),
    },
    'gateway_params.max_input_tokens': {
      label: t('Maximum input tokens'),
      help: t('If empty, the price table applies.'),
    },
    'gateway_params.max_output_tokens': {
      label: t('Maximum output tokens'),
      help: t('Required for keys with a budget if the call itself does not set a maximum.'),
    },
  });
