import { Fault } from '../../platform/faults.ts';

export interface Splice {
  readonly bytes: Buffer;
  readonly mode: 'truncate' | 'append' | 'insert';
  /** Bytes: from the start, or from the end for `append`. */
  readonly position: number;
}

/**
 * The file after a write: `truncate` keeps what is before the position and replaces the rest;
 * `append` counts the position from the end and shifts the tail; `insert` overwrites nothing.
 * @throws {Fault} `invalid_params` for a position that is not in the file
 */
export function spliceBytes(before: Buffer, { bytes, mode, position }: Splice): Buffer {
  if (position > before.byteLength) throw new Fault('invalid_params', 'position: is past the end of the file');
  const at = mode === 'append' ? before.byteLength - position : position;
  const tail = mode === 'truncate' ? [] : [before.subarray(at)];
  return Buffer.concat([before.subarray(0, at), bytes, ...tail]);
}
