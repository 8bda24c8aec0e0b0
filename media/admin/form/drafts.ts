import { t } from '../../shared/l10n.ts';
import type { FieldKind } from './fieldSchema.ts';

/** What stands in a control: text, a tick, or for grants the chosen names (null: inherited). */
export type Draft = string | boolean | readonly string[] | null;
export type Read = { readonly value: unknown } | { readonly error: string };

/** A kept value as it stands in its control. */
export function draftOf(kind: FieldKind, value: unknown): Draft {
  if (kind === 'flag') return value === true;
  if (kind === 'picks') return Array.isArray(value) ? value.map(String) : [];
  if (kind === 'rows') return Array.isArray(value) ? value.map((it) => JSON.stringify(it)) : [];
  if (kind === 'map')
    return isMap(value) ? Object.entries(value).map(([name, it]) => JSON.stringify({ name, value: it })) : [];
  if (kind === 'toolPicks') return isMap(value) ? picksIn(value) : [];
  if (kind === 'grant') return Array.isArray(value) ? value.map(String) : null;
  if (value === undefined || value === null) return '';
  if (kind === 'lines' && Array.isArray(value)) return value.map(String).join('\n');
  if (kind === 'pairs' && isMap(value)) return linesOf(value, String);
  if (kind === 'lists' && isMap(value)) return linesOf(value, (it) => (Array.isArray(it) ? it.join(', ') : String(it)));
  if (kind === 'json') return JSON.stringify(value, null, 2);
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** What a control says. `undefined` where it is empty. */
export function readDraft(kind: FieldKind, draft: Draft): Read {
  if (kind === 'flag' || kind === 'grant') return { value: draft };
  if (kind === 'picks') return { value: Array.isArray(draft) && draft.length > 0 ? draft : undefined };
  const rows = Array.isArray(draft) ? (draft as readonly string[]) : [];
  if (kind === 'rows') return { value: rows.length === 0 ? undefined : rows.map(rowOf) };
  if (kind === 'map') return readMembers(rows.map(rowOf));
  if (kind === 'toolPicks') return { value: rows.length === 0 ? undefined : toolsByServer(rows) };
  const text = String(draft ?? '').trim();
  if (text === '') return { value: undefined };
  switch (kind) {
    case 'number':
    case 'integer':
      return readNumber(kind, text);
    case 'lines':
      return { value: linesIn(text) };
    case 'pairs':
      return readMap(text, (it) => it);
    case 'lists':
      return readMap(text, (it) => it.split(',').flatMap((name) => name.trim() || []));
    case 'json':
      return readJson(text);
    case 'text':
    case 'secret':
    case 'long':
    case 'choice':
    case 'record':
      return { value: text };
  }
}

/** One row of `rows`, as it stands in its draft. */
export function rowOf(text: string | undefined): Readonly<Record<string, unknown>> {
  const row: unknown = text === undefined ? undefined : JSON.parse(text);
  return isMap(row) ? row : {};
}

function readMembers(rows: readonly Readonly<Record<string, unknown>>[]): Read {
  const names = rows.map((it) => it['name']);
  if (names.some((it) => typeof it !== 'string' || it === '')) return { error: t('Each row needs a name.') };
  if (new Set(names).size < names.length) return { error: t('Each name can be in one row only.') };
  return {
    value: rows.length === 0 ? undefined : Object.fromEntries(rows.map((it) => [String(it['name']), it['value']])),
  };
}

const PART = '\n';
/** One tool of one server as one word; an empty tool for none of its tools. Neither name can hold a line break. */
export const pickOf = (server: string, tool: string): string => `${server}${PART}${tool}`;

export function readPick(pick: string): { readonly server: string; readonly tool: string } {
  const at = pick.indexOf(PART);
  return { server: pick.slice(0, at), tool: pick.slice(at + PART.length) };
}

const picksIn = (map: Record<string, unknown>): readonly string[] =>
  Object.entries(map).flatMap(([server, tools]) =>
    Array.isArray(tools) && tools.length > 0 ? tools.map((it) => pickOf(server, String(it))) : [pickOf(server, '')],
  );

function toolsByServer(picks: readonly string[]): Readonly<Record<string, readonly string[]>> {
  const found = new Map<string, string[]>();
  for (const { server, tool } of picks.map(readPick))
    found.set(server, [...(found.get(server) ?? []), ...(tool === '' ? [] : [tool])]);
  return Object.fromEntries(found);
}

function readNumber(kind: 'number' | 'integer', text: string): Read {
  const value = Number(text);
  if (!Number.isFinite(value)) return { error: t('Enter a number.') };
  if (kind === 'integer' && !Number.isInteger(value)) return { error: t('Enter a whole number.') };
  return { value };
}

function readMap(text: string, read: (text: string) => unknown): Read {
  const entries: (readonly [string, unknown])[] = [];
  for (const line of linesIn(text)) {
    const at = line.indexOf(':');
    if (at <= 0) return { error: t('Each line must use the format "name: value". Invalid line: "{0}"', line) };
    entries.push([line.slice(0, at).trim(), read(line.slice(at + 1).trim())]);
  }
  return { value: Object.fromEntries(entries) };
}

function readJson(text: string): Read {
  try {
    return { value: JSON.parse(text) as unknown };
  } catch {
    return { error: t('This is not valid JSON.') };
  }
}

const linesIn = (text: string): string[] =>
  text
    .split('\n')
    .map((it) => it.trim())
    .filter((it) => it !== '');
const linesOf = (map: Record<string, unknown>, words: (value: unknown) => string): string =>
  Object.entries(map)
    .map(([name, value]) => `${name}: ${words(value)}`)
    .join('\n');

export const isMap = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
