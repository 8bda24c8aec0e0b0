/** `+12 −3`, with a real minus sign. Empty when nothing changed. */
export function countsText(added: number | undefined, removed: number | undefined): string {
  if (!added && !removed) return '';
  return `+${added ?? 0} −${removed ?? 0}`;
}

/** `950`, `1.2k`, `12k`, `3.4M` */
export function shortCount(count: number): string {
  if (count < 1000) return String(count);
  const [value, unit] = count < 999_500 ? [count / 1000, 'k'] : [count / 1_000_000, 'M'];
  return `${value.toFixed(value < 10 ? 1 : 0).replace(/\.0$/, '')}${unit}`;
}

/** US dollars: two digits behind the point, and as many as it takes for less than a cent. */
export function moneyText(dollars: number): string {
  const digits = dollars > 0 && dollars < 0.01 ? 6 : 2;
  return `$${dollars.toFixed(digits).replace(/(\.\d\d\d*?)0+$/, '$1')}`;
}
