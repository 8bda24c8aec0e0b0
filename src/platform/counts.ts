/** `+12 −3`, with a real minus sign. Empty when nothing changed. */
export function countsText(added: number | undefined, removed: number | undefined): string {
  if (!added && !removed) return '';
  return `+${added ?? 0} −${removed ?? 0}`;
}
