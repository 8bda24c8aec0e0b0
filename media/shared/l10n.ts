let translations: Readonly<Record<string, string>> = {};

export function useTranslations(strings: Readonly<Record<string, string>> | undefined): void {
  translations = strings ?? {};
}

/** The page's counterpart of `vscode.l10n.t`: the English text is the key, `{0}` is the first argument. */
export function t(text: string, ...args: readonly (string | number)[]): string {
  const template = translations[text] ?? text;
  return template.replace(/\{(\d+)\}/g, (whole, index: string) => {
    const value = args[Number(index)];
    return value === undefined ? whole : String(value);
  });
}

/** One or many, each a text of its own, so that languages can word both. `{0}` is the count. */
export function plural(count: number, one: string, many: string): string {
  return t(count === 1 ? one : many, count);
}
