import * as z from 'zod';

/** Metadata that a provider requires with the part in later calls, by provider. */
const Meta = z.record(z.string(), z.record(z.string(), z.json())).exactOptional();
const Text = z.object({ type: z.literal('text'), text: z.string(), meta: Meta });
const Reasoning = z.object({ type: z.literal('reasoning'), text: z.string(), meta: Meta });
/** `input` is the text that the model wrote, which may be invalid JSON. */
const Call = z.object({ type: z.literal('call'), id: z.string(), name: z.string(), input: z.string(), meta: Meta });
const File = z.object({ type: z.literal('file'), mediaType: z.string(), base64: z.string() });

/** One entry of a conversation, as it is stored. */
export const Entry = z.discriminatedUnion('role', [
  z.object({ role: z.literal('user'), parts: z.array(z.discriminatedUnion('type', [Text, File])) }),
  z.object({
    role: z.literal('assistant'),
    /** The dialect of the model that wrote it. Other models do not understand its `meta`. */
    dialect: z.enum(['chat', 'responses', 'messages', 'gemini', 'editor']),
    parts: z.array(z.discriminatedUnion('type', [Text, Reasoning, Call])),
  }),
  z.object({
    role: z.literal('result'),
    id: z.string(),
    name: z.string(),
    text: z.string(),
    hasFailed: z.boolean().exactOptional(),
  }),
  /** Replaces all earlier entries. */
  z.object({ role: z.literal('summary'), text: z.string() }),
]);
export type Entry = z.infer<typeof Entry>;
export type AssistantEntry = Extract<Entry, { role: 'assistant' }>;
export type AssistantPart = AssistantEntry['parts'][number];
export type CallPart = Extract<AssistantPart, { type: 'call' }>;
export type ResultEntry = Extract<Entry, { role: 'result' }>;
export type UserEntry = Extract<Entry, { role: 'user' }>;
