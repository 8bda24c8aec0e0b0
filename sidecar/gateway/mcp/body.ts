/** The body of a request as text; `undefined` where it is longer than `maxBytes`, of which nothing more is read. */
export async function readBody(request: Request, maxBytes: number): Promise<string | undefined> {
  const said = Number(request.headers.get('content-length') ?? Number.NaN);
  if (said > maxBytes) return undefined;
  if (said <= maxBytes) return request.text(); // the HTTP parser reads no more than was said
  if (!request.body) return '';
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of request.body) {
    size += chunk.byteLength;
    if (size > maxBytes) return undefined;
    chunks.push(chunk);
  }
  const whole = chunks.length === 1 ? (chunks[0] as Uint8Array) : Buffer.concat(chunks);
  return Buffer.from(whole.buffer, whole.byteOffset, whole.byteLength).toString('utf8');
}
