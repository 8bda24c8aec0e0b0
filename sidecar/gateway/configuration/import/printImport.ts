import type { Imported } from './imported.ts';

/** The imported part as the text of a `switchboard.jsonc`: what somebody has to look at stands on top as comments. */
export function printImport({ part, notes }: Imported, source: string): string {
  const lines = notes.map(({ path, message }) => `//   ${oneLine(path)}: ${oneLine(message)}`);
  const head = [`// Imported from ${oneLine(source)}.`, ...(lines.length > 0 ? ['// Review:', ...lines] : [])];
  return `${head.join('\n')}\n${JSON.stringify(part, undefined, 2)}\n`;
}

/** A name with a line end would end the comment. */
const oneLine = (text: string) => text.replaceAll(/[\p{Cc}\u2028\u2029]+/gu, ' ');
