import { isRecord } from '../../../platform/isRecord.ts';
import { ConfigModel } from '../../../protocol/gateway/config/model.ts';
import { providedModel } from '../../../protocol/gateway/modelProviders/index.ts';
import { cleanAddress } from './addresses.ts';
import { secretPlace, withEnviron } from './environ.ts';
import { type Collector, type Fields, variableName } from './imported.ts';

/** Members that have other names in LiteLLM. */
const renamed: Readonly<Record<string, string>> = {
  base_url: 'api_base',
  timeout: 'timeout_s',
  litellm_credential_name: 'credential_name',
  max_tokens: 'max_output_tokens',
  max_parallel_requests: 'max_concurrent_requests',
};
/** Costs and limits that LiteLLM also reads from `model_info`. */
const ofInfo = Object.keys(ConfigModel.shape.gateway_params.shape).filter(
  (it) => it.startsWith('max_') || it.includes('cost'),
);

/** The entries of `model_list`: their `litellm_params` are `gateway_params` here. */
export function importModels(raw: unknown, to: Collector): void {
  if (raw === undefined || raw === null) return;
  if (!Array.isArray(raw)) return to.note('model_list', 'skipped: not a list');
  for (const [at, entry] of raw.entries()) {
    const path = `model_list.${at}`;
    const model: unknown = withEnviron(entry);
    if (!isRecord(model) || typeof model['model_name'] !== 'string') {
      to.note(path, "skipped: 'model_name' is missing");
      continue;
    }
    const { model_name, litellm_params, gateway_params, model_info, ...rest } = model as Fields & {
      model_name: string;
    };
    for (const name of Object.keys(rest))
      to.note(`${path}.${name}`, 'not imported: the gateway does not support this member');
    const params = litellm_params ?? gateway_params;
    const { id, ...info } = isRecord(model_info) ? model_info : {};
    to.takeModel(path, {
      ...(typeof id === 'string' && { model_id: id }),
      model_name,
      gateway_params: toParams(model_name, isRecord(params) ? params : {}, info, `${path}.litellm_params`, to),
      ...(Object.keys(info).length > 0 && { model_info: info }),
    });
  }
}

function toParams(name: string, params: Fields, info: Fields, path: string, to: Collector): Fields {
  const { shape } = ConfigModel.shape.gateway_params;
  const found: Record<string, unknown> = Object.fromEntries(
    ofInfo.filter((it) => typeof info[it] === 'number').map((it) => [it, info[it]]),
  );
  const { custom_llm_provider, ...rest } = params;
  for (const [given, value] of Object.entries(rest)) {
    if (value === null) continue;
    const member = renamed[given] ?? given;
    const at = `${path}.${given}`;
    if (member === 'api_key') found[member] = secretPlace(value, variableName(name, member), at, to);
    else if (member === 'api_base' && typeof value === 'string')
      found[member] = cleanAddress(name, value, at, true, to).text;
    else if (member === 'model') found[member] = providerModel(value, custom_llm_provider, params);
    else if (member in shape) found[member] = value;
    else to.note(at, 'not imported: the gateway does not support this member');
  }
  return found;
}

/** LiteLLM infers the provider from some names, and uses `openai` for every OpenAI-compatible address. */
function providerModel(model: unknown, provider: unknown, { api_base }: Fields): unknown {
  if (typeof model !== 'string') return model;
  const whole = typeof provider === 'string' && !model.startsWith(`${provider}/`) ? `${provider}/${model}` : model;
  const known = whole
    .replace(/^ollama_chat\//, 'ollama/')
    .replace(/^hosted_vllm\//, 'vllm/')
    .replace(/^(?:custom_openai|openai_like)\//, 'openai_compatible/');
  if (known.startsWith('openai/') && typeof api_base === 'string' && !/^https:\/\/api\.openai\.com\b/.test(api_base))
    return known.replace(/^openai/, 'openai_compatible');
  if (providedModel(known) || known.includes('/')) return known;
  if (/^(?:gpt-|o\d|chatgpt-)/.test(known)) return `openai/${known}`;
  return known.startsWith('claude-') ? `anthropic/${known}` : known;
}
