import { HIDDEN, Redactor } from '../../../platform/redact.ts';
import type { Finder } from './finder.ts';
import { type JsonString, jsonStrings } from './jsonStrings.ts';
import { namedSecretFinders } from './namedSecrets.ts';
import { piiFinders } from './pii.ts';
import { redactText, type Search } from './redactText.ts';
import { secretFinders } from './secrets.ts';

/** Deeper JSON in texts of JSON is looked at as text alone. */
const MAX_NESTED = 4;
/** Shorter texts hold no secret. */
const MIN_LENGTH = 6;
/** What a text becomes that cannot be made clean. */
const WITHHELD = '[redacted]';
const scheme = new Redactor();

const search = (kind: string, find: Finder): Search => ({ kind, find, action: 'redact' });

const always: readonly Search[] = [
  ...Object.entries(secretFinders).map(([kind, find]) => search(kind, find)),
  ...namedSecretFinders.map((find) => search('secret', find)),
];
const personal: readonly Search[] = Object.entries(piiFinders)
  .filter(([kind]) => kind !== 'ipv4')
  .map(([kind, find]) => search(kind, find));

export interface ContentRedaction {
  readonly redactsPersonalData: boolean;
  /** Texts that are taken out to the letter. */
  readonly hidden: Iterable<string>;
}

/**
 * A request or a response without secrets: JSON, an event stream or any other text, which may be cut. Looks into JSON strings, also
 * within others, and across strings of the same name, because a stream sends one text in many pieces.
 */
export function redactContent(text: string, { redactsPersonalData, hidden }: ContentRedaction): string {
  const literals = [...hidden].map((it) => search('credential', literally(it)));
  return redacted(text, [...literals, ...always, ...(redactsPersonalData ? personal : [])], 0);
}

const literally =
  (secret: string): Finder =>
  (text) => {
    const spans = [];
    for (let start = text.indexOf(secret); start >= 0; start = text.indexOf(secret, start + secret.length))
      spans.push({ start, end: start + secret.length });
    return spans;
  };

function redacted(text: string, searches: readonly Search[], nested: number): string {
  const strings = jsonStrings(text);
  const across = crossing(strings, searches);
  let clean = '';
  let copied = 0;
  for (const it of strings) {
    const { start, end, value, isSecret } = it;
    // What has no escape sequence is looked at below, with everything else.
    const known = across.get(it) ?? (text.slice(start, end) === value ? undefined : value);
    const instead = isSecret ? HIDDEN : known && within(known);
    if (instead === undefined || instead === value) continue;
    clean += text.slice(copied, start) + JSON.stringify(instead).slice(1, -1);
    copied = end;
  }
  return masked(clean + text.slice(copied), searches);

  function within(value: string): string {
    if (value.length < MIN_LENGTH) return value;
    return nested < MAX_NESTED && value.includes('"') ? redacted(value, searches, nested + 1) : masked(value, searches);
  }
}

/** Credentials with a scheme go first, because what is left of them has no form of its own. */
function masked(text: string, searches: readonly Search[]): string {
  const found = redactText(scheme.text(text), searches);
  return 'blocked' in found ? WITHHELD : found.text;
}

/** Strings that hold a part of a secret which goes on in others of the same name, without that part. */
function crossing(strings: readonly JsonString[], searches: readonly Search[]): ReadonlyMap<JsonString, string> {
  const groups = new Map<string, JsonString[]>();
  for (const it of strings) {
    if (it.isName || it.value === undefined || it.isSecret) continue;
    const group = groups.get(it.name);
    if (group) group.push(it);
    else groups.set(it.name, [it]);
  }
  const without = new Map<JsonString, string>();
  for (const group of groups.values()) {
    if (group.length === 1) continue;
    const joined = group.map((it) => it.value).join('');
    const spans = joinedSpans(searches.flatMap(({ kind, find }) => find(joined).map((it) => ({ ...it, kind }))));
    let from = 0;
    let next = 0;
    for (const it of group) {
      const value = it.value ?? '';
      const to = from + value.length;
      const parts: Part[] = [];
      for (let at = next; at < spans.length; at += 1) {
        const span = spans[at] as Part;
        if (span.start >= to) break;
        if (span.end <= to) next = at + 1; // nothing of it is left for the next string
        if (span.start < from || span.end > to)
          parts.push({ ...span, start: Math.max(0, span.start - from), end: Math.min(value.length, span.end - from) });
      }
      if (parts.length > 0) without.set(it, cutOut(value, parts));
      from = to;
    }
  }
  return without;
}

interface Part {
  readonly start: number;
  readonly end: number;
  readonly kind: string;
}

/** In order and without overlap. */
function joinedSpans(found: readonly Part[]): readonly Part[] {
  const joined: Part[] = [];
  for (const it of found.toSorted((a, b) => a.start - b.start)) {
    const last = joined.at(-1);
    if (!last || it.start >= last.end) joined.push(it);
    else if (it.end > last.end) joined[joined.length - 1] = { ...last, end: it.end };
  }
  return joined;
}

function cutOut(value: string, parts: readonly Part[]): string {
  let clean = '';
  let copied = 0;
  for (const { start, end, kind } of parts) {
    clean += `${value.slice(copied, start)}[redacted:${kind}]`;
    copied = end;
  }
  return clean + value.slice(copied);
}
