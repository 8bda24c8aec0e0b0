/** What a terminal's output means, in order. */
export type ShellEvent =
  | { readonly kind: 'data'; readonly data: string }
  | { readonly kind: 'started'; readonly commandLine: string }
  | { readonly kind: 'ended'; readonly exitCode: number | undefined }
  | { readonly kind: 'cwd'; readonly path: string };

const BEGIN = '\u001b]633;';
/** Longer ones are no words of a shell, and shown as they are. */
const MAX_ESCAPE = 64 * 1024;

/** Takes the escapes of the shell integration out of the output. One that is cut in two waits for its rest. */
export class ShellEvents {
  readonly #nonce: string;
  #held = '';

  /** @param nonce of this terminal; an escape without it is dropped, whoever wrote it */
  constructor(nonce: string) {
    this.#nonce = nonce;
  }

  read(chunk: string): ShellEvent[] {
    const events: ShellEvent[] = [];
    let text = this.#held + chunk;
    this.#held = '';
    for (;;) {
      const from = text.indexOf(BEGIN);
      if (from < 0) break;
      const end = endOf(text, from);
      if (end === undefined) break;
      if (from > 0) events.push({ kind: 'data', data: text.slice(0, from) });
      const event = this.#parse(text.slice(from + BEGIN.length, end.body));
      if (event) events.push(event);
      text = text.slice(end.next);
    }
    const cut = cutAt(text);
    this.#held = text.slice(cut);
    if (cut > 0) events.push({ kind: 'data', data: text.slice(0, cut) });
    return events;
  }

  /** What still waits, when nothing comes any more. */
  end(): string {
    const held = this.#held;
    this.#held = '';
    return held;
  }

  #parse(body: string): ShellEvent | undefined {
    if (!body.startsWith(`${this.#nonce};`)) return undefined;
    const [kind, ...rest] = body.slice(this.#nonce.length + 1).split(';');
    const value = rest.join(';');
    if (kind === 'E') return { kind: 'started', commandLine: decodeText(value) };
    if (kind === 'D') return { kind: 'ended', exitCode: /^\d{1,10}$/.test(value) ? Number(value) : undefined };
    return kind === 'P' && value !== '' ? { kind: 'cwd', path: value } : undefined;
  }
}

/** An escape ends with BEL or with ESC and a backslash. */
function endOf(text: string, from: number): { body: number; next: number } | undefined {
  const bell = text.indexOf('\u0007', from);
  const string = text.indexOf('\u001b\\', from + BEGIN.length);
  if (bell < 0 && string < 0) return undefined;
  return string < 0 || (bell >= 0 && bell < string)
    ? { body: bell, next: bell + 1 }
    : { body: string, next: string + 2 };
}

/** Where the beginning of an escape of ours may be that is not whole yet; the length where there is none. */
function cutAt(text: string): number {
  const from = text.indexOf(BEGIN);
  if (from >= 0) return text.length - from > MAX_ESCAPE ? text.length : from;
  const last = text.lastIndexOf('\u001b');
  return last >= 0 && BEGIN.startsWith(text.slice(last)) ? last : text.length;
}

function decodeText(text: string): string {
  return text.replace(/\\x([0-9a-f]{2})/g, (_whole, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
}
