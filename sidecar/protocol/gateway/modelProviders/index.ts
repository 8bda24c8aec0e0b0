import { namesOf } from '../../building.ts';
import { anthropic } from './anthropic.ts';
import type { ModelProviderDefinition } from './definition.ts';
import { gemini } from './gemini.ts';
import { openai } from './openai.ts';
import { lmStudio, ollama, openaiCompatible, vllm } from './openaiCompatible.ts';

/**
 * The providers of models, by the name before the slash in `gateway_params.model`. They define addresses, credentials, headers, and
 * the paths that serve a model.
 */
export const modelProviders = {
  openai,
  anthropic,
  gemini,
  openai_compatible: openaiCompatible,
  ollama,
  lm_studio: lmStudio,
  vllm,
} as const satisfies Readonly<Record<string, ModelProviderDefinition>>;

export type ModelProviderName = keyof typeof modelProviders;
export const modelProviderNames = namesOf(modelProviders);

const byName: ReadonlyMap<string, ModelProviderName> = new Map(
  modelProviderNames.flatMap((name) => {
    const { aliases = [] }: ModelProviderDefinition = modelProviders[name];
    return [name, ...aliases].map((it) => [it, name] as const);
  }),
);

/** @param name one of {@link modelProviders}, or an alias */
export const modelProviderOf = (name: string): ModelProviderDefinition | undefined => {
  const known = byName.get(name);
  return known && modelProviders[known];
};

/** A provider and its name for a model. */
export interface ProvidedModel {
  readonly provider: ModelProviderName;
  readonly definition: ModelProviderDefinition;
  readonly name: string;
}

/** @param text `<provider>/<name>`; @returns `undefined` if the provider is not known or no name follows */
export function providedModel(text: string): ProvidedModel | undefined {
  const slash = text.indexOf('/');
  const provider = slash < 0 ? undefined : byName.get(text.slice(0, slash));
  const name = text.slice(slash + 1);
  return provider && name !== '' ? { provider, definition: modelProviders[provider], name } : undefined;
}
