import { hostWordsOf } from '../../sidecar/protocol/words/hostWords.ts';

let translations: Readonly<Record<string, string>> = {};
let hostWords = hostWordsOf(undefined);

/** @returns whether the translations changed */
export function useTranslations(strings: Readonly<Record<string, string>> | undefined): boolean {
  // The chat gets them with every model, and they do not change.
  if (strings === undefined || strings === translations) return false;
  translations = strings;
  hostWords = hostWordsOf(strings);
  return true;
}

/** The page's counterpart of `vscode.l10n.t`: the English text is the key, `{0}` is the first argument. */
export function t(text: string, ...args: readonly (string | number)[]): string {
  const template = translations[text] ?? text;
  return template.replace(/\{(\d+)\}/g, (whole, index: string) => {
    const value = args[Number(index)];
    return value === undefined ? whole : String(value);
  });
}

/** What the host says, which comes in English. */
export function fromHost(text: string): string {
  return hostWords(text);
}

/** One or many, each a text of its own, so that languages can word both. `{0}` is the count. */
export function plural(count: number, one: string, many: string): string {
  return t(count === 1 ? one : many, count);
}
