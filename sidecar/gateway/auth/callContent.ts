/**
 * Where a call leaves what it asks and what it is answered, while the gateway stores that. Takes a copy of a bounded size, and
 * never makes the call wait.
 */
export interface CallContent {
  /** The next piece of what is asked, once it was judged. */
  request(piece: Uint8Array | string): void;
  /** The next piece of what the caller gets. */
  response(piece: Uint8Array | string): void;
  /** A guardrail refused what is asked, so it is not stored. */
  forgetRequest(): void;
  /** A credential of this call, which is taken out wherever it occurs. */
  hide(secret: string): void;
}

/** Names of headers to a backend that hold no credential. */
const plainHeaders =
  /^(?:accept|content|user-agent|mcp-|a2a-|x-a2a-|traceparent|tracestate|x-gateway-|cache-control|anthropic-version)/i;

/** Takes the values of headers to a backend out of what is stored, with and without their scheme. */
export function hideHeaders(content: CallContent, headers: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(headers)) {
    if (plainHeaders.test(name)) continue;
    content.hide(value);
    const [, bare] = /^[A-Za-z-]+ +(.+)$/.exec(value) ?? [];
    if (bare !== undefined) content.hide(bare);
  }
}
