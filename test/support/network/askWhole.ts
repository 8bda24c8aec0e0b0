import { request } from 'node:http';

export interface WholeRequest {
  readonly method?: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
}

/**
 * Sends a request over HTTP/1.1, and settles once the whole answer is there. For tests that ask thousands of times: the
 * streams of `fetch` use more processor time than the gateway that answers. Follows no redirect, and decompresses nothing.
 */
export function askWhole(url: string, { method = 'GET', headers, body = '' }: WholeRequest): Promise<Response> {
  return new Promise((resolve, reject) => {
    const length = body === '' ? {} : { 'content-length': `${Buffer.byteLength(body)}` };
    const asked = request(url, { method, headers: { ...headers, ...length } }, (answer) => {
      const chunks: Buffer[] = [];
      answer.on('data', (it: Buffer) => chunks.push(it));
      answer.on('error', reject);
      answer.on('end', () => {
        const told = new Headers();
        for (const [name, values = []] of Object.entries(answer.headersDistinct))
          for (const it of values) told.append(name, it);
        const text = Buffer.concat(chunks).toString();
        resolve(new Response(text === '' ? null : text, { status: answer.statusCode ?? 0, headers: told }));
      });
    });
    asked.on('error', reject);
    asked.end(body);
  });
}
