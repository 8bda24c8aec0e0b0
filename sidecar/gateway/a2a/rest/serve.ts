import type { HttpRequest, HttpResponse } from '../../../platform/httpMessages.ts';
import { callAgent, findAgent, type Serving } from '../call.ts';
import { restBinding } from './binding.ts';
import type { RestCall } from './operations.ts';
import { readRest } from './read.ts';

/** Serves one request over HTTP+JSON. @throws {Refusal | Fault} */
export async function serveRest(serving: Serving, request: HttpRequest, call: RestCall): Promise<HttpResponse> {
  const { judged, form } = await readRest(call, request, serving.deps.options.maxBodyBytes);
  const found = await findAgent(serving);
  return callAgent(serving, found, judged, restBinding(call, form));
}
