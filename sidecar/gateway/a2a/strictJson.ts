/** Deeper than anybody needs: what is behind us may count levels on its stack. */
const maxDepth = 128;

/**
 * What makes a JSON text mean different things to different readers, or too much for some: a member that is there twice,
 * of which we would judge one and the agent believe the other, or nesting without measure. `undefined` where there is
 * nothing of the kind. The text goes on as it came, so this is all that stands between the two readings.
 *
 * @param text valid JSON
 */
export function ambiguityOf(text: string): 'repeated member' | 'nested too deep' | undefined {
  const open: (Set<string> | undefined)[] = [];
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === quote) {
      const end = endOfString(text, at);
      const members = open.at(-1);
      if (members && isFollowedByColon(text, end + 1)) {
        const raw = text.slice(at, end + 1);
        const name = raw.includes('\\') ? (JSON.parse(raw) as string) : raw.slice(1, -1);
        if (members.has(name)) return 'repeated member';
        members.add(name);
      }
      at = end;
    } else if (code === openObject || code === openList) {
      if (open.length === maxDepth) return 'nested too deep';
      open.push(code === openObject ? new Set() : undefined);
    } else if (code === closeObject || code === closeList) open.pop();
  }
  return undefined;
}

function endOfString(text: string, from: number): number {
  let at = from + 1;
  while (text.charCodeAt(at) !== quote) at += text.charCodeAt(at) === backslash ? 2 : 1;
  return at;
}

function isFollowedByColon(text: string, from: number): boolean {
  let at = from;
  while (text.charCodeAt(at) <= space) at += 1;
  return text.charCodeAt(at) === colon;
}

const [quote, backslash, openObject, closeObject, openList, closeList] = [0x22, 0x5c, 0x7b, 0x7d, 0x5b, 0x5d];
const [space, colon] = [0x20, 0x3a];
