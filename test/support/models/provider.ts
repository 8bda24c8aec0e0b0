import type { ServerResponse } from 'node:http';
import type { ModelDialect } from '../../../sidecar/protocol/gateway/modelProviders/definition.ts';
import type { Heard } from '../backends/echoBackend.ts';
import type { Stand } from '../gateway/stand.ts';

/** The provider of each dialect, with its path at the backend of a stand. */
const providers: Readonly<Record<ModelDialect, { readonly model: string; readonly base: string }>> = {
  chat: { model: 'openai/gpt-real', base: '/openai/v1' },
  responses: { model: 'openai/gpt-real', base: '/openai/v1' },
  messages: { model: 'anthropic/claude-real', base: '/anthropic' },
  gemini: { model: 'gemini/gemini-real', base: '/gemini' },
};

export const providerKey = 'provider-key-0123456789';

/** Adds a model that the backend of the stand serves. @returns its id */
export async function addModel(
  stand: Stand,
  model_name: string,
  dialect: ModelDialect,
  params: Readonly<Record<string, unknown>> = {},
): Promise<string> {
  const { model, base } = providers[dialect];
  const added = await stand.manage('POST', '/model/new', {
    model_name,
    gateway_params: {
      model,
      api_base: `${stand.backend.url}${base}`,
      api_key: providerKey,
      allow_private_network: true,
      ...params,
    },
  });
  return String(added['model_id']);
}

/** Answers with an event stream, in chunks of `pieceBytes`. */
export function streamed(text: string, pieceBytes = Number.POSITIVE_INFINITY) {
  return (_: Heard, response: ServerResponse): void => {
    const bytes = Buffer.from(text);
    response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8', 'x-request-id': 'req_1' });
    let at = 0;
    const next = () => {
      if (at >= bytes.length) return void response.end();
      const piece = bytes.subarray(at, Math.min(bytes.length, at + pieceBytes));
      at += piece.length;
      response.write(piece, () => setImmediate(next));
    };
    next();
  };
}

/** Answers with JSON. */
export const answered =
  (body: unknown, status = 200, headers: Readonly<Record<string, string>> = {}) =>
  (_: Heard, response: ServerResponse): void =>
    void response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
