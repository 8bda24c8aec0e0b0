import * as z from 'zod';

const TextPart = z.object({ type: z.literal('text'), text: z.string() });
const CallPart = z.object({
  type: z.literal('call'),
  id: z.string().min(1),
  name: z.string().min(1),
  input: z.record(z.string(), z.json()),
});
const ResultPart = z.object({ type: z.literal('result'), id: z.string().min(1), text: z.string() });
const ImagePart = z.object({ type: z.literal('image'), mediaType: z.string(), base64: z.base64() });

/** The editor has no role for a system prompt. */
const EditorModelRequest = z.object({
  /** The `id` of an `EditorModel`. */
  model: z.string().min(1),
  messages: z.array(
    z.object({
      role: z.enum(['user', 'assistant']),
      parts: z.array(z.discriminatedUnion('type', [TextPart, CallPart, ResultPart, ImagePart])),
    }),
  ),
  tools: z.array(
    z.object({ name: z.string().min(1), description: z.string(), inputSchema: z.record(z.string(), z.json()) }),
  ),
});
export type EditorModelRequest = z.infer<typeof EditorModelRequest>;

const AnswerPart = z.discriminatedUnion('type', [TextPart, CallPart]);
export type EditorAnswerPart = z.infer<typeof AnswerPart>;

/** `consent`: the person or the editor does not let us use the model; `blocked`: a quota, for example; `gone`: no such model. */
const EditorModelError = z.object({
  reason: z.enum(['consent', 'blocked', 'gone', 'failed']),
  /** Of the editor or of the model's provider. */
  message: z.string(),
});
export type EditorModelError = z.infer<typeof EditorModelError>;

/** What has arrived since the answer before; nothing if nothing arrived for a while. */
const EditorModelAnswer = z.object({
  parts: z.array(AnswerPart),
  /** Present in the last answer of a call. */
  end: z.object({ error: EditorModelError.exactOptional() }).exactOptional(),
});
export type EditorModelAnswer = z.infer<typeof EditorModelAnswer>;

/** Requests of the host to the window of a session, which any other client need not serve. */
export const windowMethods = {
  /**
   * Calls a model of the editor. The first request of a call has what is asked; each following one gets more of the answer, until
   * one says that it is the end. `$/cancelRequest` ends the call.
   */
  'x-switchboard/editorModelCall': {
    params: z.object({
      channel: z.string(),
      /** Chosen by the host. */
      call: z.string().min(1),
      request: EditorModelRequest.exactOptional(),
    }),
    result: EditorModelAnswer,
  },
} as const;
