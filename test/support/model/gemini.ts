import { type Api, exampleOf, parametersOf, piecesOf, type Schema, sse } from './api.ts';
import type { Said } from './script.ts';

interface Content {
  readonly role?: string;
  readonly parts?: readonly Part[];
}
interface Part {
  readonly text?: string;
  readonly functionResponse?: { readonly response?: unknown };
}
interface Declaration {
  readonly name?: string;
  readonly parameters?: unknown;
  readonly parametersJsonSchema?: unknown;
}

/** Requests of the Gemini API. */
export const readGemini: Api['read'] = (body) => {
  const contents = (body['contents'] ?? []) as readonly Content[];
  const { responseJsonSchema: schema } = (body['generationConfig'] ?? {}) as { responseJsonSchema?: Schema };
  const tools = (body['tools'] ?? []) as readonly { functionDeclarations?: readonly Declaration[] }[];
  return {
    ...(schema && { wanted: JSON.stringify(exampleOf(schema)) }),
    conversation: contents.map(
      ({ role, parts = [] }): Said => ({
        role: role === 'model' ? 'assistant' : 'user',
        texts: parts.flatMap((it) => (it.text === undefined ? [] : [it.text])),
        results: parts.flatMap((it) => (it.functionResponse ? [JSON.stringify(it.functionResponse.response)] : [])),
      }),
    ),
    tools: tools.flatMap(({ functionDeclarations = [] }) =>
      functionDeclarations.flatMap(({ name, parameters, parametersJsonSchema }) =>
        name === undefined ? [] : [{ name, parameters: parametersOf(parametersJsonSchema ?? parameters) }],
      ),
    ),
  };
};

/** Its answers: pieces of text, then the call of a tool with the usage. */
export const geminiStream: Api['write'] = (answer, id, model) => {
  const usageMetadata = { promptTokenCount: 10, candidatesTokenCount: 5, totalTokenCount: 15 };
  const said = (parts: readonly object[], more: object = {}) => ({
    candidates: [{ index: 0, content: { role: 'model', parts }, ...more }],
    modelVersion: model,
    responseId: id,
  });
  const call = (answer.calls ?? []).map((it) => ({ functionCall: { name: it.name, args: it.input } }));
  const last = { ...said(call, { finishReason: 'STOP' }), usageMetadata };
  return {
    events: [...piecesOf(answer.text).map((text) => sse(said([{ text }]))), sse(last)],
    whole: { ...said([{ text: answer.text }, ...call], { finishReason: 'STOP' }), usageMetadata },
  };
};
