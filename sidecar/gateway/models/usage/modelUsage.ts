import * as z from 'zod';
import type { ModelDialect } from '../../../protocol/gateway/modelProviders/definition.ts';
import { readTopLevel } from '../../wire/topLevel.ts';

/** The tokens of a call, as its provider counted them. Input tokens include those of caches. */
export interface ModelUsage {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheCreation: number;
  /** The part of `cacheCreation` that is cached for an hour, which some providers price differently. */
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

type Counted = z.infer<typeof Count>;
const usageOf = (input: number, output: Counted, cacheRead: Counted): ModelUsage => ({
  input,
  output: output ?? 0,
  cacheRead: cacheRead ?? 0,
  cacheCreation: 0,
  cacheCreationHour: 0,
});

/** Reads the usage member of a response; `undefined` if it is missing or invalid. */
export const usageReaders: Readonly<Record<ModelDialect, (value: unknown) => ModelUsage | undefined>> = {
  chat(value) {
    const { data } = ChatUsage.safeParse(value);
    return data && usageOf(data.prompt_tokens, data.completion_tokens, data.prompt_tokens_details?.cached_tokens);
  },
  responses(value) {
    const { data } = ResponsesUsage.safeParse(value);
    return data && usageOf(data.input_tokens, data.output_tokens, data.input_tokens_details?.cached_tokens);
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
    if (!data) return undefined;
    const input = data.promptTokenCount + (data.toolUsePromptTokenCount ?? 0);
    const output = (data.candidatesTokenCount ?? 0) + (data.thoughtsTokenCount ?? 0);
    return usageOf(input, output, data.cachedContentTokenCount);
  },
};

/** The member of a response that counts tokens. */
export const usageMember = (dialect: ModelDialect): string => (dialect === 'gemini' ? 'usageMetadata' : 'usage');

/** A member of an object, parsed; `undefined` if it is missing or the bytes are not a valid object. */
export function memberOf(bytes: Buffer, name: string, from = 0, to = bytes.length): unknown {
  const place = placeOf(bytes, name, from, to);
  if (!place) return undefined;
  try {
    return JSON.parse(bytes.toString('utf8', place.from, place.to));
  } catch {
    return undefined; // `readTopLevel` does not check what is in strings
  }
}

/** The position of a member's value. */
export function placeOf(
  bytes: Buffer,
  name: string,
  from = 0,
  to = bytes.length,
): { readonly from: number; readonly to: number } | undefined {
  const read = readTopLevel(bytes, from, to);
  return 'refused' in read ? undefined : read.members.find((it) => it.name === name);
}
