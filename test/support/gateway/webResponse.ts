import type { HttpResponse } from '../../../sidecar/platform/httpMessages.ts';

/** An answer as clients with `fetch` get it. */
export function webResponse(answer: HttpResponse): Response {
  if (answer instanceof Response) return answer;
  const { status, headers, body } = answer;
  return new Response(status === 204 ? null : body, { status, headers: [...headers] });
}
