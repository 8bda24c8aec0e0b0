import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import { AlertMessage } from '../../../sidecar/protocol/gateway/alerts/event.ts';
import { listen } from '../backends/listen.ts';

export interface Received {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

/** A server that alerts are posted to. */
export interface AlertReceiver {
  readonly url: string;
  readonly all: readonly Received[];
  /** The messages, in the order in which they came. */
  messages(): readonly AlertMessage[];
  /** Says what is answered from now on; 200 in the beginning. @param answer of the how many-th request, from 1 */
  answer(answer: (count: number) => number | Promise<number>): void;
  close(): Promise<void>;
}

export async function openAlertReceiver(): Promise<AlertReceiver> {
  const all: Received[] = [];
  let status: (count: number) => number | Promise<number> = () => 200;
  const server = createServer((request, response) => {
    let text = '';
    request.setEncoding('utf8').on('data', (it: string) => (text += it));
    request.on('end', () => {
      all.push({ path: request.url ?? '', headers: request.headers, text });
      void Promise.resolve(status(all.length)).then((it) => response.writeHead(it).end());
    });
  });
  const { url, close } = await listen(server);
  return {
    url,
    all,
    messages: () => all.map((it) => AlertMessage.parse(JSON.parse(it.text))),
    answer: (it) => void (status = it),
    close,
  };
}

/** Checks a message as its receiver would, in its own words: this knows nothing of the code that signs. */
export function isSigned({ headers, text }: Received, secret: string | Buffer): boolean {
  const { 'webhook-id': id, 'webhook-timestamp': at, 'webhook-signature': given } = headers;
  const expected = `v1,${createHmac('sha256', secret)
    .update(`${String(id)}.${String(at)}.${text}`)
    .digest('base64')}`;
  return String(given).length === expected.length && timingSafeEqual(Buffer.from(String(given)), Buffer.from(expected));
}
