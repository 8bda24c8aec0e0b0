import * as z from 'zod';
import { modelProviderNames, providedModel } from './modelProviders/index.ts';
import { Id, Metadata, stampShape } from './stamps.ts';

/** US dollars. */
const Cost = z.number().min(0).max(1_000_000);
const Tokens = z.int().positive().max(1_000_000_000);

const plainName = /^(?!.*(?:^|\/)\.{1,2}(?:\/|$))[A-Za-z0-9][A-Za-z0-9 _.:@/-]{0,255}$/;

/** A name that callers can use. It appears in URL paths, so it must not contain `.` or `..` as a segment. */
export const isModelName = (name: string): boolean => plainName.test(name);

/** The name that callers use, or a pattern: a name that ends in `*` serves all names with that prefix. */
export const ModelName = z
  .string()
  .refine((it) => isModelName(it) || it === '*' || (it.endsWith('*') && isModelName(it.slice(0, -1))), {
    error:
      'must start with a letter or digit and may contain only letters, digits, spaces, and the characters _ . : @ / -. A * at the end stands for any ending',
  });

/**
 * The provider's name for the model that a caller named. A `*` at its end is replaced with the part of the caller's name that matches
 * the `*` of the pattern.
 *
 * @param registered the name of the record
 */
export const providerModelFor = (model: string, registered: string, name: string): string =>
  model.endsWith('*') ? model.slice(0, -1) + name.slice(registered.length - 1) : model;

/** @returns why a record with this name cannot have this `model` */
export const patternProblem = (registered: string, model: string): string | undefined =>
  model.includes('*') && !(model.indexOf('*') === model.length - 1 && registered.endsWith('*'))
    ? 'may contain a * only at the end, and only if model_name ends in * too'
    : undefined;

export const ProviderModel = z
  .string()
  .max(512)
  .refine((it) => providedModel(it) !== undefined, {
    error: `must be a provider and its name for the model, for example openai/gpt-5. The providers are ${modelProviderNames.join(', ')}`,
  });

/** Stored encrypted beside the record, and masked in answers. */
export const ModelSecretFields = z.object({ api_key: z.string().min(1).max(8192).nullish() });
export type ModelSecretFields = z.infer<typeof ModelSecretFields>;

export const openModelParams = {
  model: ProviderModel,
  api_base: z.string().min(1).max(2048).nullish(),
  credential_name: Id.nullish(),
  allow_private_network: z.boolean().nullish(),
  weight: z.number().positive().max(1_000_000).nullish(),
  timeout_s: z.number().positive().max(86_400).nullish(),
  max_input_tokens: Tokens.nullish(),
  max_output_tokens: Tokens.nullish(),
  input_cost_per_token: Cost.nullish(),
  output_cost_per_token: Cost.nullish(),
  cache_read_input_token_cost: Cost.nullish(),
  cache_creation_input_token_cost: Cost.nullish(),
  tpm: Tokens.nullish(),
  rpm: Tokens.nullish(),
  max_concurrent_requests: z.int().positive().nullish(),
};
export const ModelParams = z.strictObject({ ...ModelSecretFields.shape, ...openModelParams });
export type ModelParams = z.infer<typeof ModelParams>;
/** Without secrets. */
export const OpenModelParams = z.object(openModelParams);
export type OpenModelParams = z.infer<typeof OpenModelParams>;

/** Where the prices of a model come from: the price table of a day, or prices that are set for the model. */
export const PriceSource = z.object({ source: z.enum(['price_table', 'model']), date: z.string().optional() });
export type PriceSource = z.infer<typeof PriceSource>;

/** Where calls to a model are sent: its own address, or else its provider's. */
export const modelAddress = ({ model, api_base }: Pick<OpenModelParams, 'model' | 'api_base'>): string | undefined =>
  api_base ?? providedModel(model)?.definition.apiBase;

/** A backend of a model. Backends with the same name share its calls. */
export const ModelRecord = z.object({
  model_id: Id,
  model_name: ModelName,
  gateway_params: OpenModelParams,
  /** Any information to show with the model. */
  model_info: Metadata.nullish(),
  from_config: z.boolean().nullish(),
  ...stampShape,
});
export type ModelRecord = z.infer<typeof ModelRecord>;

/** Body of `POST /model/new`. */
export const ModelWrite = z.strictObject({
  model_id: Id.nullish(),
  model_name: ModelName,
  gateway_params: ModelParams,
  model_info: Metadata.nullish(),
});
export type ModelWrite = z.infer<typeof ModelWrite>;
/** Body of `POST /model/update`: only the given members change, and null clears a member. */
export const ModelUpdate = z.strictObject({
  model_id: Id,
  model_name: ModelName.optional(),
  gateway_params: ModelParams.partial().nullish(),
  model_info: Metadata.nullish(),
});
export type ModelUpdate = z.infer<typeof ModelUpdate>;
