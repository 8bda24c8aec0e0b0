import * as z from 'zod';
import type { ModelDialect } from '../../../protocol/gateway/modelProviders/definition.ts';
import { readTopLevel } from '../../wire/topLevel.ts';

/** Tokens of one call as its provider counted them. Those of caches are among the input tokens. */
export interface ModelUsage {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheCreation: number;
  /** Of these, what is kept for an hour, which some providers sell at another price. */
  readonly cacheCreationHour: number;
}

const Count = z.int().min(0).nullish();
const Needed = z.int().min(0);

const ChatUsage = z.object({
  prompt_tokens: Needed,
  completion_tokens: Count,
  prompt_tokens_details: z.object({ cached_tokens: Count }).nullish(),
});
const ResponsesUsage = z.object({
  input_tokens: Needed,
  output_tokens: Needed,
  input_tokens_details: z.object({ cached_tokens: Count }).nullish(),
});
const MessagesUsage = z.object({
  input_tokens: Count,
  output_tokens: Count,
  cache_creation_input_tokens: Count,
  cache_read_input_tokens: Count,
  cache_creation: z.object({ ephemeral_1h_input_tokens: Count }).nullish(),
});
const GeminiUsage = z.object({
  promptTokenCount: Needed,
  candidatesTokenCount: Count,
  thoughtsTokenCount: Count,
  toolUsePromptTokenCount: Count,
  cachedContentTokenCount: Count,
});

/** What an answer of a dialect says of tokens; `undefined` where it says nothing that can be counted on. */
export const usageReaders: Readonly<Record<ModelDialect, (value: unknown) => ModelUsage | undefined>> = {
  chat(value) {
    const { data } = ChatUsage.safeParse(value);
    return (
      data && {
        input: data.prompt_tokens,
        output: data.completion_tokens ?? 0,
        cacheRead: data.prompt_tokens_details?.cached_tokens ?? 0,
        cacheCreation: 0,
        cacheCreationHour: 0,
      }
    );
  },
  responses(value) {
    const { data } = ResponsesUsage.safeParse(value);
    return (
      data && {
        input: data.input_tokens,
        output: data.output_tokens,
        cacheRead: data.input_tokens_details?.cached_tokens ?? 0,
        cacheCreation: 0,
        cacheCreationHour: 0,
      }
    );
  },
  messages(value) {
    const { data } = MessagesUsage.safeParse(value);
    if (!data || typeof data.input_tokens !== 'number') return undefined;
    const cacheRead = data.cache_read_input_tokens ?? 0;
    const cacheCreation = data.cache_creation_input_tokens ?? 0;
    return {
      input: data.input_tokens + cacheRead + cacheCreation,
      output: data.output_tokens ?? 0,
      cacheRead,
      cacheCreation,
      cacheCreationHour: Math.min(cacheCreation, data.cache_creation?.ephemeral_1h_input_tokens ?? 0),
    };
  },
  gemini(value) {
    const { data } = GeminiUsage.safeParse(value);
    return (
      data && {
        input: data.promptTokenCount + (data.toolUsePromptTokenCount ?? 0),
        output: (data.candidatesTokenCount ?? 0) + (data.thoughtsTokenCount ?? 0),
        cacheRead: data.cachedContentTokenCount ?? 0,
        cacheCreation: 0,
        cacheCreationHour: 0,
      }
    );
  },
};

/** The member of an answer that counts tokens. */
export const usageMember = (dialect: ModelDialect): string => (dialect === 'gemini' ? 'usageMetadata' : 'usage');

/** A member of an object, parsed; `undefined` where it is not there or the bytes are no object. */
export function memberOf(bytes: Buffer, name: string, from = 0, to = bytes.length): unknown {
  const place = placeOf(bytes, name, from, to);
  return place && JSON.parse(bytes.toString('utf8', place.from, place.to));
}

/** Where the value of a member stands. */
export function placeOf(
  bytes: Buffer,
  name: string,
  from = 0,
  to = bytes.length,
): { readonly from: number; readonly to: number } | undefined {
  const read = readTopLevel(bytes, from, to);
  return 'refused' in read ? undefined : read.members.find((it) => it.name === name);
}
