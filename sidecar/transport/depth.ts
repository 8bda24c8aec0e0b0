import type { Buffer } from 'node:buffer';

const [QUOTE, BACKSLASH] = [0x22, 0x5c];
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];

/**
 * Whether JSON text nests deeper than `limit`. Asked before it is parsed: what is deep enough can be read and not be
 * written again, because `JSON.stringify` recurses. Text that is no JSON gets any answer.
 */
export function isDeeperThan(json: Buffer, limit: number): boolean {
  if (json.length < 2 * limit) return false; // every level costs two brackets
  let depth = 0;
  let isText = false;
  for (let at = 0; at < json.length; at += 1) {
    const byte = json[at];
    if (isText) {
      if (byte === BACKSLASH) at += 1;
      else if (byte === QUOTE) isText = false;
    } else if (byte === QUOTE) isText = true;
    else if (byte === OPEN_LIST || byte === OPEN_OBJECT) {
      depth += 1;
      if (depth > limit) return true;
    } else if (byte === CLOSE_LIST || byte === CLOSE_OBJECT) depth -= 1;
  }
  return false;
}
