/**
 * The decoded segments of a path, without the empty one that a slash at the end leaves. `undefined` for a path that two
 * readers could understand differently: dot segments, double or encoded slashes, what is encoded twice, control characters.
 *
 * @param pathname as it stands in the URL, still encoded
 */
export function pathSegments(pathname: string): readonly string[] | undefined {
  const parts = pathname.split('/').slice(1);
  if (parts.at(-1) === '' && parts.length > 1) parts.pop(); // `/mcp/` answers like `/mcp`: a redirect would lose the body
  const segments = parts.map(decodeSegment);
  return segments.some((it) => it === undefined) ? undefined : (segments as string[]);
}

function decodeSegment(segment: string): string | undefined {
  try {
    const plain = decodeURIComponent(segment);
    const isOdd = plain === '' || plain === '.' || plain === '..' || /[/\\%\p{Cc}]/u.test(plain);
    return isOdd ? undefined : plain;
  } catch {
    return undefined; // a lone percent sign
  }
}
