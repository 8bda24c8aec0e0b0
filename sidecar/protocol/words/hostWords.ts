/** Translations as VS Code's bundles hold them: by the English text. */
export type Translations = Readonly<Record<string, string | readonly string[] | { readonly message: string }>>;

/** Behind the key of a text that the host words itself; as a comment of `vscode.l10n.t` would stand there. */
export const hostMark = '/host';

/**
 * Translates what the host says. Its sentences are English on the wire, in state and in logs: several windows share them,
 * each in its own language. A text with values in it is recognized by what stands around them; the values themselves are
 * translated where they are sentences of the host too. What is not recognized, such as an agent's own words, stays.
 */
export function hostWordsOf(translations: Translations | undefined): (text: string) => string {
  if (!translations) return (text) => text;
  const exact = new Map<string, string>();
  const patterns: Pattern[] = [];
  for (const [key, translation] of Object.entries(translations)) {
    if (!key.endsWith(hostMark) || typeof translation !== 'string') continue;
    const english = key.slice(0, -hostMark.length);
    if (placeholder.test(english)) patterns.push(patternOf(english, translation));
    else exact.set(english, translation);
  }
  // What says more by itself is the better match.
  patterns.sort((a, b) => b.weight - a.weight);
  const translate = (text: string): string => exact.get(text) ?? filled(text) ?? inSentences(text) ?? text;
  const filled = (text: string): string | undefined => {
    for (const { match, fill } of patterns) {
      const values = match.exec(text)?.slice(1);
      if (values) return fill(values.map(translate));
    }
    return undefined;
  };
  /** Two sentences, of which the first is known. */
  const inSentences = (text: string): string | undefined => {
    for (const { index } of text.matchAll(/(?<=[.?!:]) (?=\S)/g)) {
      const [first, rest] = [text.slice(0, index), text.slice(index + 1)];
      const known = exact.get(first) ?? filled(first);
      if (known !== undefined) return `${known}${/[。？：]$/.test(known) ? '' : ' '}${translate(rest)}`;
    }
    return undefined;
  };
  return translate;
}

interface Pattern {
  readonly match: RegExp;
  /** How much of the text is the host's own. */
  readonly weight: number;
  fill(values: readonly string[]): string;
}

const placeholder = /\{(\d+)\}/;

function patternOf(english: string, translation: string): Pattern {
  const parts = english.split(placeholder);
  const order = parts.filter((_, at) => at % 2 === 1).map(Number);
  const fixed = parts.filter((_, at) => at % 2 === 0);
  const source = fixed.map((it) => it.replace(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)).join('([^]*?)');
  return {
    match: new RegExp(`^${source}$`),
    weight: fixed.join('').length,
    fill: (values) =>
      translation.replace(/\{(\d+)\}/g, (whole, index: string) => values[order.indexOf(Number(index))] ?? whole),
  };
}
