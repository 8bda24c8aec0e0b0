/** Bytes of what goes out as JSON, without the few of the frame around it. */
export function bytesOf(method: string, params: unknown): number {
  return Buffer.byteLength(JSON.stringify({ jsonrpc: '2.0', method, params }));
}

/** Why a message was not sent, for a person. */
export const overTheLimit = (bytes: number, limit: number): string =>
  `it is ${inWords(bytes)} large, and the host reads messages of at most ${inWords(limit)}. Send less at once, or attach files instead of their contents.`;

/** Why a message is not sent again, where the host did not say its limit. */
export const closedOver = (bytes: number): string =>
  `the host closed the connection over its size (${inWords(bytes)}). Send less at once, or attach files instead of their contents.`;

function inWords(bytes: number): string {
  return bytes < 1_000_000 ? `${(bytes / 1_000).toFixed(1)} KB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
}
