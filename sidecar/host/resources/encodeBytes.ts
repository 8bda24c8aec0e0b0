import type { ResourceReadResult } from '../../protocol/commands.ts';

/** As text where that was asked for and is possible without loss; otherwise base64. */
export function encodeBytes(bytes: Uint8Array, encoding: 'base64' | 'utf-8' | undefined): ResourceReadResult {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (encoding === 'utf-8' && !buffer.includes(0)) {
    const data = buffer.toString('utf8');
    if (Buffer.from(data, 'utf8').equals(buffer)) return { data, encoding: 'utf-8' };
  }
  return { data: buffer.toString('base64'), encoding: 'base64' };
}
