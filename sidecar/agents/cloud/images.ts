/** An image as the service takes it. */
export interface CloudImage {
  /** Base64. */
  readonly data: string;
  /** In pixels. */
  readonly dimension: { readonly width: number; readonly height: number };
}
type Size = CloudImage['dimension'];

/** What the service takes with one message. */
export const MOST_IMAGES = 5;

/** @returns `undefined` for anything but a PNG, JPEG, GIF, or WebP image */
export function toImage(base64: string): CloudImage | undefined {
  const bytes = Buffer.from(base64, 'base64');
  const readers = [sizeOfPng, sizeOfGif, sizeOfWebp, sizeOfJpeg];
  try {
    for (const read of readers) {
      const size = read(bytes);
      if (size && size.width > 0 && size.height > 0) return { data: base64, dimension: size };
    }
  } catch (thrown) {
    if (!(thrown instanceof RangeError)) throw thrown; // it ends before its size is stated
  }
  return undefined;
}

const has = (bytes: Buffer, text: string, at = 0) => bytes.toString('latin1', at, at + text.length) === text;

function sizeOfPng(bytes: Buffer): Size | undefined {
  if (!has(bytes, '\x89PNG\r\n\x1a\n')) return undefined;
  return { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) };
}

function sizeOfGif(bytes: Buffer): Size | undefined {
  if (!has(bytes, 'GIF87a') && !has(bytes, 'GIF89a')) return undefined;
  return { width: bytes.readUInt16LE(6), height: bytes.readUInt16LE(8) };
}

/** RFC 9649: each of the three kinds of data states the size in its own way. */
function sizeOfWebp(bytes: Buffer): Size | undefined {
  if (!has(bytes, 'RIFF') || !has(bytes, 'WEBP', 8)) return undefined;
  if (has(bytes, 'VP8X', 12)) return { width: bytes.readUIntLE(24, 3) + 1, height: bytes.readUIntLE(27, 3) + 1 };
  if (has(bytes, 'VP8L', 12)) {
    const bits = bytes.readUInt32LE(21);
    return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
  }
  if (!has(bytes, 'VP8 ', 12)) return undefined;
  return { width: bytes.readUInt16LE(26) & 0x3fff, height: bytes.readUInt16LE(28) & 0x3fff };
}

/** The start of frame states the size. Segments before it are skipped. */
function sizeOfJpeg(bytes: Buffer): Size | undefined {
  if (!has(bytes, '\xff\xd8\xff')) return undefined;
  for (let at = 2; ; at += 2 + bytes.readUInt16BE(at + 2)) {
    const marker = bytes.readUInt8(at + 1);
    if (bytes.readUInt8(at) !== 0xff) return undefined;
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
    if (isFrame) return { width: bytes.readUInt16BE(at + 7), height: bytes.readUInt16BE(at + 5) };
  }
}
