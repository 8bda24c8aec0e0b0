import * as z from 'zod';
import { described } from '../../building.ts';
import { ModelParams, ModelWrite } from '../model.ts';
import { SecretRef } from './secretRef.ts';

const ConfigModelParams = z.strictObject(
  described(
    { ...ModelParams.shape, api_key: SecretRef.nullish() },
    {
      model:
        'Provider and its name for the model, for example openai/gpt-5 or ollama/llama3. A * at the end is replaced with the part of the name that matches the * of model_name.',
      api_base: "Address of the provider's API. Default: the provider's own.",
      api_key:
        "Key of the provider. Default: credential_name, and for the provider's own address the newest credential stored for the provider, then the provider's environment variable.",
      credential_name: 'Name of a credential that is stored under LLM Credentials.',
      allow_private_network: 'Allow addresses on loopback and private networks.',
      weight: 'Share of the calls to model_name, relative to its other entries. Default: 1.',
      timeout_s: 'How many seconds a call can go without data from the provider before it fails. Default: 600.',
      max_input_tokens: 'Maximum number of input tokens. Default: from the price table.',
      max_output_tokens:
        'Maximum number of output tokens. Required for keys with a budget if the call itself does not set a maximum.',
      input_cost_per_token: 'Cost per input token, in US dollars. Overrides the price table.',
      output_cost_per_token: 'Cost per output token, in US dollars. Overrides the price table.',
      cache_read_input_token_cost:
        'Cost per input token that is read from the prompt cache, in US dollars. Default: input_cost_per_token, if that is set.',
      cache_creation_input_token_cost:
        'Cost per input token that is written to the prompt cache, in US dollars. Default: input_cost_per_token, if that is set.',
      tpm: 'Maximum number of tokens per minute for this entry.',
      rpm: 'Maximum number of requests per minute for this entry.',
      max_concurrent_requests: 'Maximum number of concurrent requests for this entry.',
    },
  ),
);

/** A backend of a model in the configuration file. Several entries can share a name. */
export const ConfigModel = z.strictObject(
  described(
    { ...ModelWrite.shape, gateway_params: ConfigModelParams },
    {
      model_id: 'ID in the API. Default: model_name, with a number if several entries have the same name.',
      model_name:
        'Name that callers use. Entries with the same name share its calls. A * at the end stands for any ending, for example claude-*.',
      gateway_params: 'Where the gateway sends the calls, and what they cost.',
      model_info: 'Any information to show with the model.',
    },
  ),
);
export type ConfigModel = z.infer<typeof ConfigModel>;
