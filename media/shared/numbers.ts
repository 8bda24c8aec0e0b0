const formats = new Map<string, Intl.NumberFormat>();

/** An editor can name its language in another form, such as `en_US`. `Intl` throws an error for it. */
function tagOf(language: string): string {
  try {
    return Intl.getCanonicalLocales(language)[0] ?? 'en';
  } catch {
    return 'en';
  }
}

/** Formats a number in the page's language, which VS Code or the browser sets on the document. */
export function number(value: number, options: Intl.NumberFormatOptions = {}): string {
  const language = globalThis.document?.documentElement.lang || 'en';
  const id = JSON.stringify([language, options]);
  let format = formats.get(id);
  if (!format) formats.set(id, (format = new Intl.NumberFormat(tagOf(language), options)));
  return format.format(value);
}

/** US dollars. */
export const dollars = (value: number, options: Intl.NumberFormatOptions): string =>
  number(value, { style: 'currency', currency: 'USD', currencyDisplay: 'narrowSymbol', ...options });

/** @param places the number of decimal places */
export const fixed = (value: number, places: number): string =>
  number(value, { minimumFractionDigits: places, maximumFractionDigits: places, useGrouping: false });
