import type { HttpRequest } from './httpMessages.ts';

/** The body of a request as text; `undefined` where it is longer than `maxBytes`, of which nothing more is read. */
export function readBody(
  request: Pick<HttpRequest, 'headers' | 'body' | 'text'>,
  maxBytes: number,
): Promise<string | undefined> {
  const declared = Number(request.headers.get('content-length') ?? Number.NaN);
  if (declared > maxBytes) return Promise.resolve(undefined);
  if (declared <= maxBytes) return request.text(); // the HTTP parser reads no more than was declared
  return readPieces(request.body, maxBytes);
}

async function readPieces(body: AsyncIterable<Uint8Array> | null, maxBytes: number): Promise<string | undefined> {
  const whole = await wholeBytes(body, maxBytes);
  return whole && Buffer.from(whole.buffer, whole.byteOffset, whole.byteLength).toString('utf8');
}

/** All of a body; `undefined` where it is longer than `maxBytes`, of which nothing more is read. @throws what broke it */
export async function wholeBytes(
  body: AsyncIterable<Uint8Array> | null,
  maxBytes: number,
): Promise<Uint8Array | undefined> {
  if (!body) return new Uint8Array();
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.byteLength;
    if (size > maxBytes) return undefined;
    chunks.push(chunk);
  }
  return chunks.length === 1 ? (chunks[0] as Uint8Array) : Buffer.concat(chunks);
}

/** Like {@link readBody}, but returns bytes. */
export function readBodyBytes(
  request: Pick<HttpRequest, 'headers' | 'body' | 'bytes'>,
  maxBytes: number,
): Promise<Uint8Array | undefined> {
  const declared = Number(request.headers.get('content-length') ?? Number.NaN);
  if (declared > maxBytes) return Promise.resolve(undefined);
  return declared <= maxBytes ? request.bytes() : wholeBytes(request.body, maxBytes);
}

/** Objects and lists inside each other, deeper than anybody needs: what is behind us may count them on its stack. */
export function nestsTooDeep(text: string, maxDepth = 64): boolean {
  if (text.length <= maxDepth) return false;
  let depth = 0;
  let isText = false;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (isText) {
      if (code === backslash) at += 1;
      else if (code === quote) isText = false;
    } else if (code === quote) isText = true;
    else if (code === openObject || code === openList) {
      depth += 1;
      if (depth > maxDepth) return true;
    } else if (code === closeObject || code === closeList) depth -= 1;
  }
  return false;
}

const [quote, backslash, openObject, closeObject, openList, closeList] = [0x22, 0x5c, 0x7b, 0x7d, 0x5b, 0x5d];
