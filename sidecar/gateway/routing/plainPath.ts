import { Fault } from '../../platform/faults.ts';

/** Most paths: nothing in them could be read in two ways. */
const plain = /^(?:\/[\w~-][\w.~-]*)+$/;

/**
 * Whether every reader takes a path for the same: it is as the URL standard writes it, and has neither dot segments, doubled or
 * encoded slashes, backslashes nor control characters, and no lone percent sign.
 */
export function isPlain(pathname: string): boolean {
  if (plain.test(pathname)) return true;
  if (!pathname.startsWith('/') || pathname.includes('//') || pathname.includes('\\')) return false;
  if (/%2f|%5c|%00/i.test(pathname)) return false;
  if (new URL(`http://any${pathname}`).pathname !== pathname) return false;
  try {
    const decoded = decodeURIComponent(pathname);
    return !/\p{Cc}/u.test(decoded) && !decoded.split('/').some((it) => it === '.' || it === '..');
  } catch {
    return false; // a lone percent sign
  }
}

/** @throws {Fault} `invalid_params` for the target of a request line that no reader takes for a path or an address */
export function checkTarget(pathname: string): void {
  if (/^(?:\/|https?:)/i.test(pathname) && !pathname.includes('\\')) return;
  throw new Fault('invalid_params', 'The request path must begin with a slash and must not contain a backslash.', {
    data: { field: 'path' },
  });
}
