import { frameHeader } from '../../../sidecar/transport/frames.ts';

/** A frame around JSON text, as clients send it. */
export function toFrame(json: string): string {
  return frameHeader(Buffer.byteLength(json)) + json;
}
