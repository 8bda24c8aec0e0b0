import { Readable } from 'node:stream';
import * as z from 'zod';
import { Fault } from '../../../platform/faults.ts';
import {
  type EditorAnswerPart,
  type EditorModelAnswer,
  type EditorModelError,
  type EditorModelRequest,
  windowMethods,
} from '../../../protocol/channels/root/editorModelCalls.ts';
import type { EditorModels } from '../../models.ts';
import type { CallOptions, LanguageModel, PromptMessage, StreamPart, Usage } from './languageModel.ts';

const { result: Answer } = windowMethods['x-switchboard/editorModelCall'];
const JsonObject = z.record(z.string(), z.json());

const AWAY =
  'The window that offers the model is closed, or it does not respond. Open the window in which you sent the message.';
const UNREADABLE = 'The window does not support calls to models, or its response could not be read.';

/** As `askModel` reads it. */
interface CallProblem {
  readonly message: string;
  readonly isRetryable: boolean;
}

export interface EditorModelDeps {
  readonly editor: Pick<EditorModels, 'open'>;
  readonly newId: () => string;
}

/** Connects a model that the window of the session calls. The editor reports no usage. @param model its ID */
export function editorModel({ editor, newId }: EditorModelDeps, model: string): LanguageModel {
  return {
    async doStream({ prompt, tools = [], abortSignal = new AbortController().signal }) {
      const request = { model, messages: prompt.map(toMessage), tools: tools.flatMap(toTool) };
      const parts = played(editor.open(), newId(), request, abortSignal);
      return { stream: Readable.toWeb(Readable.from(parts)) as ReadableStream<StreamPart> };
    },
  };
}

async function* played(
  ask: ReturnType<EditorModels['open']>,
  call: string,
  request: EditorModelRequest,
  signal: AbortSignal,
): AsyncGenerator<StreamPart, void> {
  const parts = new Parts();
  let isBetween = false;
  try {
    for (let isFirst = true; ; isFirst = false) {
      signal.throwIfAborted();
      isBetween = false;
      let answer: EditorModelAnswer;
      try {
        answer = Answer.parse(await ask({ call, ...(isFirst && { request }) }, signal));
      } catch (thrown) {
        signal.throwIfAborted();
        return yield problem(toProblem(thrown));
      }
      const { parts: arrived, end } = answer;
      isBetween = end === undefined;
      for (const it of arrived) yield* parts.next(it);
      if (end?.error) return yield problem(refusal(end.error));
      if (end) return yield* parts.end();
    }
  } finally {
    if (isBetween) cancel(ask, call);
  }
}

/** The window ends a call when a request of it is cancelled. Between two requests, there is none, so another one is sent. */
function cancel(ask: ReturnType<EditorModels['open']>, call: string): void {
  const stop = new AbortController();
  ask({ call }, stop.signal).catch(() => undefined);
  stop.abort();
}

/** Numbers the texts of an answer: a text after a call is another part. */
class Parts {
  #open: string | undefined;
  #count = 0;
  #hasCalls = false;

  *next(part: EditorAnswerPart): Generator<StreamPart> {
    if (part.type === 'call') {
      yield* this.#close();
      this.#hasCalls = true;
      const { id: toolCallId, name: toolName, input } = part;
      yield { type: 'tool-call', toolCallId, toolName, input: JSON.stringify(input) };
      return;
    }
    if (this.#open === undefined) {
      this.#open = `${(this.#count += 1)}`;
      yield { type: 'text-start', id: this.#open };
    }
    yield { type: 'text-delta', id: this.#open, delta: part.text };
  }

  *end(): Generator<StreamPart> {
    yield* this.#close();
    const unified = this.#hasCalls ? 'tool-calls' : 'stop';
    yield { type: 'finish', usage: unknownUsage, finishReason: { unified, raw: undefined } };
  }

  *#close(): Generator<StreamPart> {
    if (this.#open !== undefined) yield { type: 'text-end', id: this.#open };
    this.#open = undefined;
  }
}

const unknownUsage: Usage = {
  inputTokens: { total: undefined, noCache: undefined, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: undefined, text: undefined, reasoning: undefined },
};

const problem = (error: CallProblem): StreamPart => ({ type: 'error', error });

/** The text of the window's error is its own and is not shown. */
function toProblem(thrown: unknown): CallProblem {
  return thrown instanceof Fault && thrown.code === 'unavailable'
    ? { message: AWAY, isRetryable: true }
    : { message: UNREADABLE, isRetryable: false };
}

function refusal({ reason, message }: EditorModelError): CallProblem {
  const said = message.trim();
  const words = {
    consent: 'VS Code does not let Switchboard use the model. Allow it with Manage Language Model Access.',
    blocked: `VS Code or the provider of the model refused the call, possibly because a quota is used up. ${said}`,
    gone: 'VS Code no longer offers the model.',
    failed: said === '' ? 'The provider of the model did not say why.' : said,
  };
  return { message: words[reason].trim(), isRetryable: reason === 'failed' };
}

type Message = EditorModelRequest['messages'][number];
type Part = Message['parts'][number];

/** The editor knows only users and assistants. */
function toMessage({ role, content }: PromptMessage): Message {
  if (role === 'system') return { role: 'user', parts: [{ type: 'text', text: content }] };
  return { role: role === 'assistant' ? 'assistant' : 'user', parts: content.flatMap(toParts) };
}

type Content = Exclude<PromptMessage, { role: 'system' }>['content'][number];

function toParts(part: Content): Part[] {
  switch (part.type) {
    case 'text':
      return [{ type: 'text', text: part.text }];
    case 'file':
      return [toFilePart(part)];
    case 'tool-call':
      return [
        { type: 'call', id: part.toolCallId, name: part.toolName, input: JsonObject.safeParse(part.input).data ?? {} },
      ];
    case 'tool-result':
      return [{ type: 'result', id: part.toolCallId, text: toText(part.output) }];
    default:
      return []; // reasoning, which only its own provider accepts
  }
}

type Output = Extract<Content, { type: 'tool-result' }>['output'];

const toText = (output: Output): string =>
  output.type === 'text' || output.type === 'error-text' ? output.value : JSON.stringify(output);

function toFilePart({ mediaType, data }: Extract<Content, { type: 'file' }>): Part {
  if (mediaType.startsWith('image/') && data.type === 'data' && typeof data.data === 'string')
    return { type: 'image', mediaType, base64: data.data };
  return {
    type: 'text',
    text: `(An attachment was left out, because VS Code does not pass on files of type ${mediaType}.)`,
  };
}

function toTool(tool: NonNullable<CallOptions['tools']>[number]): EditorModelRequest['tools'] {
  if (tool.type !== 'function') return [];
  const { name, description = '', inputSchema } = tool;
  return [{ name, description, inputSchema: JsonObject.parse(inputSchema) }];
}
