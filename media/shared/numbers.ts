const formats = new Map<string, Intl.NumberFormat>();

/** An editor may name its language in another form, such as `en_US`, which `Intl` refuses with an error. */
function tagOf(language: string): string {
  try {
    return Intl.getCanonicalLocales(language)[0] ?? 'en';
  } catch {
    return 'en';
  }
}

/** A number with the separators of the page's language. What VS Code or the browser named it is on the document. */
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

/** A number with so many decimal places. */
export const fixed = (value: number, places: number): string =>
  number(value, { minimumFractionDigits: places, maximumFractionDigits: places, useGrouping: false });
