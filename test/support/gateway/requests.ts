import { a2aMessage } from './backendAnswers.ts';

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** Of the body, or of the last event of a stream. */
  readonly json: unknown;
}

/** Any request; a body makes it a POST of JSON. */
export async function ask(url: string, headers: Readonly<Record<string, string>>, body?: object): Promise<Answer> {
  const json = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
  const init = body ? { method: 'POST', body: JSON.stringify(body), headers: { ...json, ...headers } } : { headers };
  const response = await fetch(url, init);
  const text = await response.text();
  const last = /^data: (.*)$/m.exec(text)?.[1] ?? text;
  const parsed: unknown = last.startsWith('{') || last.startsWith('[') ? JSON.parse(last) : undefined;
  return { status: response.status, headers: response.headers, text, json: parsed };
}

export const rpcBody = (method: string, params: object = {}) => ({ jsonrpc: '2.0', id: 1, method, params });
export const toolCall = (name: string, args: object = {}) => rpcBody('tools/call', { name, arguments: args });
export const messageBody = () => rpcBody('message/send', { message: a2aMessage });
export const bearer = (key: string) => ({ authorization: `Bearer ${key}` });

/** The names in an answer to `tools/list`, sorted. */
export const toolNames = ({ json }: Pick<Answer, 'json'>): readonly string[] => {
  const { result, tools: bare } = json as { result?: { tools: { name: string }[] }; tools?: { name: string }[] };
  return (result?.tools ?? bare ?? []).map((it) => it.name).sort();
};
/** Whether an answer to `tools/call` is the refusal of a tool. */
export const isRefusal = ({ json }: Pick<Answer, 'json'>): boolean =>
  (json as { result?: { isError?: boolean } }).result?.isError === true;
