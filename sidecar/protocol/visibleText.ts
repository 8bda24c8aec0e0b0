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
  const fence = fenceFor(text, 1);
  const pad = /^[` ]|[` ]$/.test(text) ? ' ' : '';
  return `${fence}${pad}${text}${pad}${fence}`;
}

/** As {@link codeSpan}, for text of several lines. */
export function codeBlock(text: string, language: string): string {
  const fence = fenceFor(text, text.includes('`') ? 4 : 3);
  return `${fence}${language}\n${text}\n${fence}`;
}

/** More backticks than follow each other in the text. */
function fenceFor(text: string, least: number): string {
  const longest = text.match(/`+/g)?.reduce((most, it) => Math.max(most, it.length), 0) ?? 0;
  return '`'.repeat(Math.max(least, longest + 1));
}
