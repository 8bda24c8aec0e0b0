import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { anthropicStream, readAnthropic } from './anthropic.ts';
import type { Api } from './api.ts';
import { chatStream, readChat } from './chat.ts';
import { geminiStream, readGemini } from './gemini.ts';
import { readResponses, responsesStream } from './responses.ts';
import { type Answer, answerTo, type OfferedTool, type Said } from './script.ts';

export interface ModelServer {
  /** `http://127.0.0.1:<port>`; the OpenAI APIs are under `/v1` of it. */
  readonly url: string;
  /** How many answers were given, by path. */
  readonly served: ReadonlyMap<string, number>;
  /** The conversation of each request, in order. */
  readonly heard: readonly (readonly Said[])[];
  /** The tools of each request, in order. */
  readonly offered: readonly (readonly OfferedTool[])[];
  close(): Promise<void>;
}

const apis: Readonly<Record<string, Api>> = {
  '/v1/messages': { read: readAnthropic, write: anthropicStream },
  '/v1/chat/completions': { read: readChat, write: chatStream },
  '/v1/responses': { read: readResponses, write: responsesStream },
  gemini: { read: readGemini, write: geminiStream },
};

/** The model, and what is asked of it. */
const geminiPath = /^\/v1beta\/models\/([^/:]+):(generateContent|streamGenerateContent|countTokens)$/;

/** A recorded answer. With a status, it is an error. */
export interface RecordedAnswer extends Partial<Answer> {
  readonly status?: number;
}
/** The answers to conversations in which the user writes `replay <name>`, in order. */
export type Recordings = Readonly<Record<string, readonly RecordedAnswer[]>>;

/**
 * A model on this machine with deterministic answers: recorded answers, or those in script.ts. Loopback only.
 */
export async function startModel(recordings: Recordings = {}): Promise<ModelServer> {
  const replayed = new Map<string, number>();
  const heard: Said[][] = [];
  const offered: OfferedTool[][] = [];
  function recorded(conversation: readonly Said[]): RecordedAnswer | undefined {
    const texts = conversation.filter((it) => it.role === 'user').flatMap((it) => it.texts);
    const name = texts.map((it) => /\breplay (\w+)/.exec(it)?.[1]).findLast((it) => it !== undefined);
    const all = name === undefined ? undefined : recordings[name];
    if (name === undefined || !all) return undefined;
    const at = replayed.get(name) ?? 0;
    replayed.set(name, at + 1);
    return all[at] ?? { text: `Nothing more was recorded for ${name}.` };
  }
  const served = new Map<string, number>();
  let answers = 0;
  const server = createServer((request, response) => {
    const path = new URL(request.url ?? '/', 'http://model').pathname;
    void serve(path, request, response).catch((thrown: unknown) => {
      response.writeHead(400, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ error: { type: 'invalid_request_error', message: String(thrown) } }));
    });
  });

  async function serve(path: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const [, geminiModel, operation] = geminiPath.exec(path) ?? [];
    const api = apis[operation === undefined ? path : 'gemini'];
    const text = await bodyOf(request);
    const json = (status: number, body: unknown) => {
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(JSON.stringify(body));
    };
    if (path === '/v1/messages/count_tokens') return json(200, { input_tokens: 10 });
    if (operation === 'countTokens') return json(200, { totalTokens: 10 });
    if (path === '/v1/models') return json(200, { object: 'list', data: [{ id: 'fake-model', object: 'model' }] });
    if (!api || request.method !== 'POST') return json(404, { error: { message: 'no such endpoint' } });
    served.set(path, (served.get(path) ?? 0) + 1);
    answers += 1;
    const body = JSON.parse(text) as Record<string, unknown>;
    const { conversation, tools, wanted } = api.read(body);
    heard.push([...conversation]);
    offered.push([...tools]);
    const recording = recorded(conversation);
    if (recording?.status !== undefined)
      return json(recording.status, { error: { type: 'api_error', message: recording.text ?? 'no' } });
    const scripted = () => (wanted === undefined ? answerTo(conversation, tools) : { text: wanted });
    const answer = recording ? { text: '', ...recording } : scripted();
    const { events, whole } = api.write(
      answer,
      `fake-${answers}`,
      geminiModel ?? (typeof body['model'] === 'string' ? body['model'] : 'fake-model'),
    );
    if (body['stream'] !== true && operation !== 'streamGenerateContent') return json(200, whole);
    response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
    // A hanging answer keeps its end to itself: the client has to go first.
    for (const event of answer.hangs ? events.slice(0, 3) : events) response.write(event);
    if (!answer.hangs) response.end();
  }

  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    served,
    heard,
    offered,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece as Buffer);
  return Buffer.concat(pieces).toString('utf8');
}
