import type { HttpResponse } from '../../platform/httpMessages.ts';
import type { BackendResponse } from '../backends/net/exchange.ts';
import { readBody } from '../backends/net/readBody.ts';
import { NoAnswer, noResponse } from './answers.ts';
import type { Call } from './call.ts';
import { type AnswerEvent, AnswerReader } from './events.ts';
import type { Probe } from './message.ts';
import { contentType, jsonType, passedBack, waited } from './send.ts';

/**
 * The response to a probe: the agent's own error.
 * @throws {Refusal} if the agent returns no error of its own @throws {NoAnswer} if it returns no valid answer
 */
export async function answerProbe(call: Call, response: BackendResponse, probe: Probe): Promise<HttpResponse> {
  const { context, account } = call;
  const type = contentType(response) === 'text/event-stream' ? 'text/event-stream' : jsonType(response);
  const said = await waited(context, type === 'text/event-stream' ? firstEvent(call, response) : whole(call, response));
  const { error } = said.answer;
  if (!error || !probe.says(error.code)) throw probe.instead;
  account.close({ status: 'failure', error: probe.instead.message, error_code: `${error.code}` });
  const headers = { 'content-type': type, 'cache-control': 'no-cache', ...passedBack(response) };
  return new Response(probe.restore?.(said.text) ?? said.text, { status: response.status, headers });
}

async function whole({ deps, binding }: Call, { body, status }: BackendResponse): Promise<AnswerEvent> {
  const text = await readBody(body, deps.options.maxResponseBytes);
  const answer = binding.readAnswer(text, status);
  if (!answer) throw noResponse(status, binding);
  return { answer, text };
}

async function firstEvent(call: Call, { body, status }: BackendResponse): Promise<AnswerEvent> {
  if (status >= 400) throw new NoAnswer('status', `HTTP ${status} with a stream`);
  const reader = new AnswerReader(call);
  for await (const piece of body) {
    for (const it of reader.read(piece)) {
      body.destroy();
      return it;
    }
  }
  throw new NoAnswer('garbage', 'a stream without an event');
}
