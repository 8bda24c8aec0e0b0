/** `+12 −3`, with a real minus sign. Empty when nothing changed. */
export function countsText(added: number | undefined, removed: number | undefined): string {
  if (!added && !removed) return '';
  return `+${added ?? 0} −${removed ?? 0}`;
}

/** US dollars: two digits behind the point, and as many as it takes for less than a cent. */
export function moneyText(dollars: number): string {
  const digits = dollars > 0 && dollars < 0.01 ? 6 : 2;
  return `$${dollars.toFixed(digits).replace(/(\.\d\d\d*?)0+$/, '$1')}`;
}
