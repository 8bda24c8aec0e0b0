/** The languages that the texts are translated into, as VS Code and the files in `media/l10n` name them. */
export const languages = ['de', 'zh-cn'] as const;
export type Language = (typeof languages)[number];

/**
 * The first language of a browser's list that there is a translation for. `undefined` is English: the list asks for it before
 * any other that there is, or for none that there is.
 */
export function languageOf(preferred: readonly string[]): Language | undefined {
  for (const it of preferred) {
    const tag = it.toLowerCase();
    if (/^en\b/.test(tag)) return undefined;
    if (/^de\b/.test(tag)) return 'de';
    // Traditional Chinese is written with other characters.
    if (/^zh(?:$|-cn\b|-sg\b|-hans\b)/.test(tag)) return 'zh-cn';
  }
  return undefined;
}
