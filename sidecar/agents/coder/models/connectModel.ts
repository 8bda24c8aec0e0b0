import { createAnthropic } from '@ai-sdk/anthropic';
import { createGoogleGenerativeAI } from '@ai-sdk/google';
import { createOpenAI } from '@ai-sdk/openai';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import type { ModelDialect, SessionModels } from '../../models.ts';
import type { LanguageModel } from './languageModel.ts';
import { patientFetch } from './patientFetch.ts';

/** The agent uses the first of these dialects that a model supports. Dialects with reasoning and caching come first. */
const order: readonly ModelDialect[] = ['messages', 'responses', 'gemini', 'chat'];

/** A model, and the dialect in which it is called. `editor`: the window calls it. */
export interface ChosenModel<Dialect = ModelDialect | 'editor'> {
  readonly name: string;
  readonly dialect: Dialect;
  /** The input token limit. */
  readonly context: number;
}

/** Assumed if the context of a model is not known. Most current models have at least this. */
const USUAL_CONTEXT = 128_000;

/** @returns `undefined` if the gateway does not offer the model */
export function chooseModel(
  { models }: Pick<SessionModels, 'models'>,
  name: string,
): ChosenModel<ModelDialect> | undefined {
  const serves = (it: string) => (it.endsWith('*') ? name.startsWith(it.slice(0, -1)) : it === name);
  const found = models.find((it) => it.name === name) ?? models.find((it) => serves(it.name));
  const dialect = found && order.find((it) => found.dialects.includes(it));
  return dialect && { name, dialect, context: found.context ?? USUAL_CONTEXT };
}

/** Connects a model through the SDK of its dialect. */
export function connectModel(
  { url, key }: Pick<SessionModels, 'url' | 'key'>,
  { name, dialect }: ChosenModel<ModelDialect>,
): LanguageModel {
  const options = { apiKey: key, fetch: patientFetch };
  switch (dialect) {
    case 'messages': {
      return createAnthropic({ ...options, baseURL: `${url}/v1` }).languageModel(name);
    }
    case 'responses': {
      return createOpenAI({ ...options, baseURL: `${url}/v1` }).responses(name);
    }
    case 'gemini': {
      return createGoogleGenerativeAI({ ...options, baseURL: `${url}/v1beta` }).languageModel(name);
    }
    case 'chat': {
      const provider = createOpenAICompatible({
        ...options,
        name: 'switchboard',
        baseURL: `${url}/v1`,
        includeUsage: true,
      });
      return provider.languageModel(name);
    }
  }
}
