import * as z from 'zod';
import { openUnion } from '../../building.ts';
import { Uri } from '../../shared.ts';

const Option = z.object({
  id: z.string(),
  label: z.string(),
  description: z.string().exactOptional(),
  recommended: z.boolean().exactOptional(),
});
const questionBase = {
  id: z.string(),
  message: z.string(),
  title: z.string().exactOptional(),
  required: z.boolean().exactOptional(),
};
const numeric = {
  min: z.number().exactOptional(),
  max: z.number().exactOptional(),
  defaultValue: z.number().exactOptional(),
};
/** `min` and `max` are a length for texts, a count for multi-selects. */
export const ChatInputQuestion = openUnion('kind', {
  text: z.object({
    ...questionBase,
    kind: z.literal('text'),
    format: z.string().exactOptional(),
    min: z.number().exactOptional(),
    max: z.number().exactOptional(),
    defaultValue: z.string().exactOptional(),
  }),
  number: z.object({ ...questionBase, kind: z.literal('number'), ...numeric }),
  integer: z.object({ ...questionBase, kind: z.literal('integer'), ...numeric }),
  boolean: z.object({ ...questionBase, kind: z.literal('boolean'), defaultValue: z.boolean().exactOptional() }),
  'single-select': z.object({
    ...questionBase,
    kind: z.literal('single-select'),
    options: z.array(Option),
    allowFreeformInput: z.boolean().exactOptional(),
  }),
  'multi-select': z.object({
    ...questionBase,
    kind: z.literal('multi-select'),
    options: z.array(Option),
    allowFreeformInput: z.boolean().exactOptional(),
    min: z.number().exactOptional(),
    max: z.number().exactOptional(),
  }),
});
export type ChatInputQuestion = z.infer<typeof ChatInputQuestion>;

const freeformValues = z.array(z.string()).exactOptional();
export const ChatInputAnswerValue = openUnion('kind', {
  text: z.object({ kind: z.literal('text'), value: z.string() }),
  number: z.object({ kind: z.literal('number'), value: z.number() }),
  boolean: z.object({ kind: z.literal('boolean'), value: z.boolean() }),
  /** `value` is an option id. */
  selected: z.object({ kind: z.literal('selected'), value: z.string(), freeformValues }),
  'selected-many': z.object({ kind: z.literal('selected-many'), value: z.array(z.string()), freeformValues }),
});
export type ChatInputAnswerValue = z.infer<typeof ChatInputAnswerValue>;

export const ChatInputAnswer = openUnion('state', {
  draft: z.object({ state: z.literal('draft'), value: ChatInputAnswerValue }),
  submitted: z.object({ state: z.literal('submitted'), value: ChatInputAnswerValue }),
  skipped: z.object({ state: z.literal('skipped'), freeformValues }),
});
export type ChatInputAnswer = z.infer<typeof ChatInputAnswer>;

/** By question id. */
export const ChatInputAnswers = z.record(z.string(), ChatInputAnswer);
export type ChatInputAnswers = z.infer<typeof ChatInputAnswers>;

export const ChatInputRequest = z.object({
  id: z.string().min(1),
  message: z.string().exactOptional(),
  url: Uri.exactOptional(),
  questions: z.array(ChatInputQuestion).exactOptional(),
  /** Drafts while it is open, the final answers afterwards. */
  answers: ChatInputAnswers.exactOptional(),
});
export type ChatInputRequest = z.infer<typeof ChatInputRequest>;

export const ChatInputResponse = z.enum(['accept', 'decline', 'cancel']);
export type ChatInputResponse = z.infer<typeof ChatInputResponse>;
