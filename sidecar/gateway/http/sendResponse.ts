import type { ServerResponse } from 'node:http';
import { type HttpResponse, TextResponse } from '../../platform/httpMessages.ts';

/** Writes an answer that is there as a whole. */
export async function sendResponse(response: HttpResponse, outgoing: ServerResponse): Promise<void> {
  if (response instanceof TextResponse) return sendText(response, outgoing);
  const bytes = response.body === null ? undefined : Buffer.from(await new Response(response.body).arrayBuffer());
  outgoing.setHeaders(response.headers as Headers);
  if (!hasNoLength.has(response.status)) outgoing.setHeader('content-length', bytes?.byteLength ?? 0);
  outgoing.writeHead(response.status);
  outgoing.end(bytes);
}

function sendText({ written, status, headers }: TextResponse, outgoing: ServerResponse): void {
  const bytes = Buffer.byteLength(written);
  headers.set('content-length', String(bytes));
  outgoing.writeHead(status, headers.all);
  // As many bytes as characters: nothing in it has to be encoded.
  outgoing.end(written, bytes === written.length ? 'latin1' : 'utf8');
}

/** RFC 9110 8.6. */
const hasNoLength: ReadonlySet<number> = new Set([204, 304]);
