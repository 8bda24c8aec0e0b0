import type { Readable } from 'node:stream';
import { Fault } from '../../../platform/faults.ts';

/**
 * Reads a small answer whole.
 * @throws {Fault} `unavailable` where it is longer than `maxBytes`; the rest is not read
 */
export async function readBody(body: Readable, maxBytes: number): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body as AsyncIterable<Uint8Array>) {
    size += chunk.length;
    if (size > maxBytes) {
      throw new Fault('unavailable', `The backend answered with more than ${maxBytes} bytes.`, {
        data: { reason: 'answer_too_long' },
      });
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
