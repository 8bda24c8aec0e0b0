import type { ListedModel } from '../../../../sidecar/protocol/gateway/answers.ts';
import { providedModel } from '../../../../sidecar/protocol/gateway/modelProviders/index.ts';
import { ApiError } from '../../api.ts';
import type { Values } from '../../form/collect.ts';
import { isMap } from '../../form/drafts.ts';

/** Fields for prices per million tokens, and the members of `gateway_params` per token. */
export const priceFields = {
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
