/** Formats of tables of any length. */
export type ExportFormat = 'csv' | 'jsonl';

/** One JSON value a line. */
export const toJsonLines = (values: readonly unknown[]): string =>
  values.map((it) => `${JSON.stringify(it)}\n`).join('');

type Cell = string | number | null;

/** RFC 4180. A text that a spreadsheet would run as a formula begins with an apostrophe. */
export const toCsv = (rows: readonly (readonly Cell[])[]): string =>
  rows.map((row) => `${row.map(toCell).join(',')}\r\n`).join('');

function toCell(value: Cell): string {
  if (value === null) return '';
  if (typeof value === 'number') return String(value);
  const text = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
