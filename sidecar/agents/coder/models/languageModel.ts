import type { createAnthropic } from '@ai-sdk/anthropic';

/** The part of the interface of all providers of the AI SDK that is used here. */
export type LanguageModel = Pick<ReturnType<ReturnType<typeof createAnthropic>['languageModel']>, 'doStream'>;
export type CallOptions = Parameters<LanguageModel['doStream']>[0];
export type Prompt = CallOptions['prompt'];
export type PromptMessage = Prompt[number];
type Stream = Awaited<ReturnType<LanguageModel['doStream']>>['stream'];
export type StreamPart = Stream extends ReadableStream<infer Part> ? Part : never;
export type Usage = Extract<StreamPart, { type: 'finish' }>['usage'];
export type FunctionTool = Extract<NonNullable<CallOptions['tools']>[number], { type: 'function' }>;
