export type Replaced =
  | {
      readonly ok: true;
      readonly text: string;
      /** The old text differed from the file in spaces. */
      readonly isRepaired: boolean;
    }
  | { readonly ok: false; readonly message: string };

/**
 * Replaces `old` with `fresh` in the text of a file. The old text must occur exactly once, unless `all` is set. If it does not occur,
 * lines that differ only in leading and trailing spaces also match if there is only one such place. The new text then gets their
 * indentation.
 */
export function replaceText(text: string, old: string, fresh: string, all: boolean): Replaced {
  const isCrlf = text.includes('\r\n');
  const [from, to] = isCrlf ? [toCrlf(old), toCrlf(fresh)] : [old, fresh];
  if (from === to) return refuse('The old and the new text are the same.');
  const count = text.split(from).length - 1;
  if (count === 1 || (count > 1 && all)) return { ok: true, text: text.split(from).join(to), isRepaired: false };
  if (count > 1) return refuse(`The old text is in the file ${count} times. Add lines around it, or set "all".`);
  return repaired(text, from, to, isCrlf ? '\r\n' : '\n');
}

const toCrlf = (text: string): string => text.replace(/\r?\n/g, '\r\n');
const refuse = (message: string): Replaced => ({ ok: false, message });
const indentOf = (line: string): string => /^[ \t]*/.exec(line)![0];

function repaired(text: string, old: string, fresh: string, end: string): Replaced {
  const lines = text.split(end);
  const endsWithLine = old.endsWith(end);
  const wanted = (endsWithLine ? old.slice(0, -end.length) : old).split(end).map((it) => it.trim());
  const places = wanted.every((it) => it === '')
    ? []
    : lines.flatMap((_, at) => (wanted.every((it, k) => lines[at + k]?.trim() === it) ? [at] : []));
  const [place, ...others] = places;
  if (place === undefined)
    return refuse('The old text is not in the file. Read the file again, and copy the text exactly.');
  if (others.length > 0)
    return refuse(
      `The exact old text is not in the file, and ${places.length} places are similar. Read the file again, and copy the text exactly.`,
    );
  const first = wanted.findIndex((it) => it !== '');
  const [was, now] = [indentOf(old.split(end)[first] ?? ''), indentOf(lines[place + first] ?? '')];
  const replacement = (endsWithLine && fresh.endsWith(end) ? fresh.slice(0, -end.length) : fresh)
    .split(end)
    .map((it) => (it !== '' && it.startsWith(was) ? now + it.slice(was.length) : it));
  const after = [...lines.slice(0, place), ...replacement, ...lines.slice(place + wanted.length)];
  return { ok: true, text: after.join(end), isRepaired: true };
}
