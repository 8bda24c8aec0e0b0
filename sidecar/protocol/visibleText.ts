/**
 * Characters that change what a person reads without being read themselves: controls except tab and line feed, format
 * characters (bidirectional overrides, zero width), blanks other than the space, letters that draw nothing, halves of
 * pairs, what a font may leave out. The rest is what it looks like.
 */
const hidden = /\p{Cc}|\p{Cf}|\p{Cs}|\p{Co}|\p{Zl}|\p{Zp}|(?! )\p{Zs}|\p{Default_Ignorable_Code_Point}|\u{2800}/gu;

/** The text with each hidden character written as its number, as `‹U+202E›`. For showing, never for running. */
export function visibleText(text: string): string {
  return text.replace(hidden, (it) =>
    it === '\n' || it === '\t' ? it : `‹U+${it.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}›`,
  );
}

export function hidesCharacters(text: string): boolean {
  return visibleText(text) !== text;
}

/** Plain words as Markdown that shows exactly them: no link, image, tag or emphasis comes of it. */
export function escapeMarkdown(text: string): string {
  return text.replace(/[\\`*_{}[\]()#+\-.!|~<>&$:@"=]/g, String.raw`\$&`);
}

/** What {@link escapeMarkdown} was given. */
export function unescapeMarkdown(markdown: string): string {
  return markdown.replace(/\\([\\`*_{}[\]()#+\-.!|~<>&$:@"=])/g, '$1');
}

/** Markdown that shows the text as code, literally, whatever backticks are in it. */
export function codeSpan(text: string): string {
  const longest = text.match(/`+/g)?.reduce((most, it) => Math.max(most, it.length), 0) ?? 0;
  const fence = '`'.repeat(longest + 1);
  const pad = /^[` ]|[` ]$/.test(text) ? ' ' : '';
  return `${fence}${pad}${text}${pad}${fence}`;
}

/** As {@link codeSpan}, for text of several lines. Not a block: those scroll, and hide how long lines end. */
export function codeLines(text: string): string {
  return text
    .split('\n')
    .map((it) => (it.trim() === '' ? '' : codeSpan(it)))
    .join('\\\n');
}
