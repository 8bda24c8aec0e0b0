import type { TerminalPart, TerminalState } from '../../protocol/channels/terminal/schema.ts';

/**
 * Without what is oldest, cut at the end of a line; the same object where it is short enough.
 * @param max characters; beyond them the oldest goes until `kept` are left
 */
export function trimScrollback(state: TerminalState, max: number, kept = (max * 3) / 4): TerminalState {
  let over = sizeOf(state.content) - max;
  if (over <= 0) return state;
  over += max - kept;
  const content = [...state.content];
  while (over > 0 && content.length > 0) {
    const first = content[0]!;
    const text = textOf(first);
    if (text.length <= over && content.length > 1) {
      over -= text.length;
      content.shift();
      continue;
    }
    const line = text.indexOf('\n', over);
    const rest = text.slice(line < 0 ? over : line + 1);
    content[0] = first.type === 'command' ? { ...first, output: rest } : { ...first, value: rest };
    over = 0;
  }
  return { ...state, content };
}

function sizeOf(content: readonly TerminalPart[]): number {
  return content.reduce((sum, it) => sum + textOf(it).length, 0);
}
function textOf(part: TerminalPart): string {
  return part.type === 'command' ? part.output : part.value;
}
