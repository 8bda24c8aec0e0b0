import type { ListedModel } from '../../../../sidecar/protocol/gateway/answers.ts';
import { ModelWrite } from '../../../../sidecar/protocol/gateway/model.ts';
import type { ModelProviderDefinition } from '../../../../sidecar/protocol/gateway/modelProviders/definition.ts';
import {
  modelProviderNames,
  modelProviderOf,
  providedModel,
} from '../../../../sidecar/protocol/gateway/modelProviders/index.ts';
import { t } from '../../../shared/l10n.ts';
import { ApiError } from '../../api.ts';
import type { Values } from '../../form/collect.ts';
import { isMap } from '../../form/drafts.ts';
import { type FormField, type FormGroup, fieldsOf } from '../../form/formSpec.ts';
import { price } from '../../kit/format.ts';
import type { Option } from '../../kit/select.ts';
import { networkOf } from './network.ts';

/** Fields for prices per million tokens, and the members of `gateway_params` per token. */
const priceFields = {
  input_price: 'input_cost_per_token',
  output_price: 'output_cost_per_token',
  cache_read_price: 'cache_read_input_token_cost',
  cache_creation_price: 'cache_creation_input_token_cost',
} as const;
const MILLION = 1_000_000;

export const initialModel: Values = { provider: 'openai', key_source: 'own' };

/** A stored model, by the names of the fields in the form. */
export function modelValues(row: ListedModel): Values {
  const { gateway_params: params } = row;
  const provided = params && providedModel(params.model);
  const perMillion = Object.entries(priceFields).map(([field, member]) => {
    const perToken = params?.[member];
    // Rounded, because the multiplication is not exact.
    return [field, typeof perToken === 'number' ? Number((perToken * MILLION).toPrecision(12)) : undefined] as const;
  });
  return {
    ...row,
    ...Object.fromEntries(perMillion),
    provider: provided?.provider,
    provider_model: provided?.name ?? params?.model,
    key_source: params?.api_key ? 'own' : params?.credential_name ? 'credential' : 'provider',
  };
}

/** The body of a request. For a stored model, it contains only what changed. */
export function modelBody(body: Record<string, unknown>, row: ListedModel | undefined): Record<string, unknown> {
  const { provider, provider_model, key_source, gateway_params, ...rest } = body;
  const kept: Values = row?.gateway_params ?? {};
  const entered = isMap(gateway_params) ? gateway_params : {};
  const params: Record<string, unknown> = Object.fromEntries(
    Object.entries(entered).filter(([name, value]) => JSON.stringify(value) !== JSON.stringify(kept[name])),
  );
  for (const [field, member] of Object.entries(priceFields)) {
    const value = rest[field];
    delete rest[field];
    if (value !== undefined)
      params[member] = typeof value === 'number' ? Number((value / MILLION).toPrecision(12)) : null;
  }
  const before = row ? modelValues(row) : initialModel;
  if (!row || provider !== undefined || provider_model !== undefined)
    params['model'] = `${String(provider ?? before['provider'])}/${String(provider_model ?? before['provider_model'])}`;
  // A key that is no longer used is deleted.
  if (row && key_source !== undefined && key_source !== 'own') params['api_key'] = null;
  if (row && key_source !== undefined && key_source !== 'credential') params['credential_name'] = null;
  const hasParams = !row || Object.keys(params).length > 0;
  return { ...rest, ...(row && { model_id: row.model_id }), ...(hasParams && { gateway_params: params }) };
}

/** In an error that names a member of the record, replaces it with the field of the form. */
export async function named<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (thrown) {
    if (!(thrown instanceof ApiError) || thrown.param === undefined) throw thrown;
    const member = thrown.param.replace('gateway_params.', '');
    const field = Object.entries(priceFields).find(([, it]) => it === member)?.[0];
    throw new ApiError(thrown.status, thrown.message, field ?? (member === 'model' ? 'provider_model' : thrown.param));
  }
}

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
          ? t('Required: {0} is on the machine on which the gateway runs.', address ?? '')
          : network === 'private'
            ? t('Required: {0} is on a private network.', address ?? '')
            : t('Required if the name of the host leads to such an address.'),
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
      label:
        provider?.needsKey === false ? t('None, or the default of the provider') : t('The default of the provider'),
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
            help: t('Stored encrypted, and never shown again.'),
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
