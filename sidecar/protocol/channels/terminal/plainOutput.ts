/** Longer sequences are not escape sequences and are shown unchanged. */
const MAX_ESCAPE = 4 * 1024;
const ESC = '\u001b';
const BEL = '\u0007';
/** Control sequences, strings that end with BEL or ESC \, character sets, and the rest. */
const escapes = new RegExp(
  `${ESC}(?:\\[[0-?]*[ -/]*[@-~]|[\\]PX^_][^${BEL}${ESC}]*(?:${BEL}|${ESC}\\\\)|[ -/]+[0-~]|[0-OQ-WYZ\\\\\`-~])`,
  'g',
);
const controls = /(?![\t\n\r])\p{Cc}/gu;

/** The end of what a program printed to a terminal, as text without escape sequences and overwritten lines. */
export class PlainOutput {
  readonly #maxBytes: number;
  /** Completed lines. */
  #text = '';
  #line = '';
  /** The next output starts at the beginning of the line again. */
  #isReturned = false;
  /** A possible beginning of an escape sequence. */
  #held = '';
  #isTruncated = false;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  add(chunk: string): void {
    const text = this.#held + chunk;
    const cut = cutAt(text);
    this.#held = text.slice(cut);
    const plain = text.slice(0, cut).replace(escapes, '').replace(controls, '');
    for (const it of plain.match(/[^\r\n]+|[\r\n]/g) ?? []) this.#print(it);
    // Each UTF-16 unit takes at least a byte. The exact limit is applied when the text is read.
    if (this.#text.length > 2 * this.#maxBytes) this.#text = this.#cut(this.#text);
    if (this.#line.length > 2 * this.#maxBytes) this.#line = this.#cut(this.#line);
  }

  read(): { readonly text: string; readonly truncated: boolean } {
    const whole = this.#text + this.#line;
    const text = lastBytes(whole, this.#maxBytes);
    return { text, truncated: this.#isTruncated || text.length < whole.length };
  }

  #print(piece: string): void {
    if (piece === '\r') {
      this.#isReturned = true;
      return;
    }
    if (piece === '\n') {
      this.#text += `${this.#line}\n`;
      this.#line = '';
    } else this.#line = this.#isReturned ? piece : this.#line + piece;
    this.#isReturned = false;
  }

  #cut(text: string): string {
    this.#isTruncated = true;
    return lastBytes(text, this.#maxBytes);
  }
}

/** The end of a text, of at most so many bytes of UTF-8, cut between characters. */
function lastBytes(text: string, maxBytes: number): string {
  if (text.length * 3 <= maxBytes) return text;
  let [from, bytes] = [text.length, 0];
  while (from > 0) {
    const isPair = /^[\ud800-\udbff][\udc00-\udfff]$/.test(text.slice(from - 2, from));
    const code = text.charCodeAt(from - 1);
    bytes += isPair ? 4 : code < 0x80 ? 1 : code < 0x800 ? 2 : 3;
    if (bytes > maxBytes) break;
    from -= isPair ? 2 : 1;
  }
  return text.slice(from);
}

/** Where an incomplete escape sequence begins; the length of the text if there is none. */
function cutAt(text: string): number {
  const last = text.replace(escapes, (it) => ' '.repeat(it.length)).indexOf(ESC);
  return last < 0 || text.length - last > MAX_ESCAPE ? text.length : last;
}
