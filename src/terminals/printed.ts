import type { TerminalState } from '../../sidecar/protocol/channels/terminal/schema.ts';

/** So much of the end of what was printed has to be there again for the rest to follow it. */
const MARK = 256;

/** Everything that the terminal printed, as far as it is kept. */
export function textOf({ content }: Pick<TerminalState, 'content'>): string {
  return content.map((it) => (it.type === 'command' ? it.output : it.type === 'unclassified' ? it.value : '')).join('');
}

/** What stands on a screen already. */
export interface Printed {
  readonly length: number;
  readonly end: string;
}
export const nothingPrinted: Printed = { length: 0, end: '' };

/**
 * What to write so that the screen shows `text`: what came since, or all of it after the screen was cleared, where the
 * oldest lines are gone or the terminal was emptied.
 */
export function toWrite(printed: Printed, text: string): { readonly write: string; readonly printed: Printed } {
  const after = { length: text.length, end: text.slice(-MARK) };
  const goesOn = text.slice(printed.length - printed.end.length, printed.length) === printed.end;
  if (goesOn && text.length >= printed.length) return { write: text.slice(printed.length), printed: after };
  return { write: `\u001b[2J\u001b[3J\u001b[H${text}`, printed: after };
}
