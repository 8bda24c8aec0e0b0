import { isUtf8 } from 'node:buffer';

/**
 * Linux knows names by bytes, which need not be UTF-8. In our strings such a byte is a lone surrogate of its own (U+DC80 to
 * U+DCFF), which stands in no name that is UTF-8, so that the bytes can be restored from the string.
 */
export function fromBytes(bytes: Buffer): string {
  if (isUtf8(bytes)) return bytes.toString('utf8');
  let text = '';
  for (let at = 0; at < bytes.length; ) {
    const length = [1, 2, 3, 4].find((it) => at + it <= bytes.length && isUtf8(bytes.subarray(at, at + it)));
    text += length ? bytes.toString('utf8', at, at + length) : String.fromCharCode(0xdc00 + bytes[at]!);
    at += length ?? 1;
  }
  return text;
}

export function toBytes(text: string): Buffer {
  if (isWellFormed(text)) return Buffer.from(text);
  const parts = text.split(lone).map((it) => {
    const code = it.charCodeAt(0);
    return it.length === 1 && code >= 0xdc80 && code <= 0xdcff ? Buffer.of(code - 0xdc00) : Buffer.from(it);
  });
  return Buffer.concat(parts);
}

/** A path for the functions of `node:fs`. */
export function toFs(path: string): string | Buffer {
  return isWellFormed(path) ? path : toBytes(path);
}

/** Whether the text is UTF-8 as it stands. */
export function isWellFormed(text: string): boolean {
  return !/\p{Surrogate}/u.test(text);
}

/** For a person: what is no UTF-8 shows as a replacement character. */
export function shownName(text: string): string {
  return text.replace(/\p{Surrogate}/gu, '\uFFFD');
}

const lone = /(\p{Surrogate})/u;
