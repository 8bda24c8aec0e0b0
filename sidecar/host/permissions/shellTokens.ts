/** One word of a command line after the shell's quoting. */
export interface ShellWord {
  readonly text: string;
  /** The word as it would be written again: bare where that is safe, otherwise in single quotes. */
  readonly canonical: string;
  /** Holds a variable or a substitution: its value is not known before it runs. */
  readonly dynamic: boolean;
  /** Starts with an unquoted `~`. */
  readonly tilde: boolean;
  /** Holds an unquoted `*`, `?` or `[`. */
  readonly glob: boolean;
  readonly quoted: boolean;
}
export type ShellToken =
  | { readonly kind: 'word'; readonly word: ShellWord }
  | { readonly kind: 'operator'; readonly text: string }
  | { readonly kind: 'redirect'; readonly text: string };

export interface LexedLine {
  readonly tokens: readonly ShellToken[];
  /** Command lines found in `$(…)`, backticks and process substitutions. */
  readonly nested: readonly string[];
  /** False when something was met whose meaning this reader does not know for certain. */
  readonly clear: boolean;
}

/** Cuts a POSIX shell line into tokens. What it does not know makes the line unclear, it never guesses. */
export function lexShell(line: string): LexedLine {
  return new Lexer(line).run();
}

const bareWord = /^[A-Za-z0-9_./:=@%+,*?[\]~^-]+$/;

class Lexer {
  readonly #line: string;
  readonly #tokens: ShellToken[] = [];
  readonly #nested: string[] = [];
  readonly #heredocs: Heredoc[] = [];
  #at = 0;
  #clear = true;
  #word: Word | undefined;
  #expectsDelimiter: '<<' | '<<-' | undefined;

  constructor(line: string) {
    this.#line = line;
  }

  run(): LexedLine {
    while (this.#at < this.#line.length) this.#step();
    this.#endWord();
    if (this.#heredocs.length > 0 || this.#expectsDelimiter) this.#clear = false;
    return { tokens: this.#tokens, nested: this.#nested, clear: this.#clear };
  }

  /** As the body of a here-document: quotes are characters like any other there, and hide nothing. */
  runBody(): LexedLine {
    this.#quotedUntil(undefined);
    return this.run();
  }

  #step() {
    const char = this.#line[this.#at]!;
    if (char === ' ' || char === '\t') return this.#skip(1, true);
    if (char === '\n') return this.#newline();
    if (char === '#' && !this.#word) return this.#comment();
    if (char === '\\') return this.#escape();
    if (char === "'") return this.#singleQuoted();
    if (char === '"') {
      this.#at += 1;
      return this.#quotedUntil('"');
    }
    if (char === '$') return this.#dollar(false);
    if (char === '`') return this.#backtick();
    if (char === '<' || char === '>' || this.#rest().startsWith('&>')) return this.#redirect();
    if ('|&;()'.includes(char)) return this.#operator();
    if (isControl(char)) this.#clear = false;
    this.#append(char, false);
    this.#at += 1;
  }

  #rest(): string {
    return this.#line.slice(this.#at, this.#at + 3);
  }
  #skip(count: number, endsWord: boolean) {
    if (endsWord) this.#endWord();
    this.#at += count;
  }
  #append(text: string, quoted: boolean) {
    this.#word ??= { text: '', unquoted: '', quoted: false, dynamic: false };
    this.#word.text += text;
    this.#word.unquoted += quoted ? '\0' : text;
    if (quoted) this.#word.quoted = true;
  }
  #touch(): Word {
    this.#append('', false);
    return this.#word!;
  }

  #comment() {
    const end = this.#line.indexOf('\n', this.#at);
    this.#at = end < 0 ? this.#line.length : end;
  }

  #escape() {
    const next = this.#line[this.#at + 1];
    this.#at += 2;
    if (next === undefined) this.#clear = false;
    else if (next !== '\n') this.#append(next, true);
  }

  #singleQuoted() {
    const end = this.#line.indexOf("'", this.#at + 1);
    if (end < 0) return this.#giveUp();
    this.#touch().quoted = true;
    this.#append(this.#line.slice(this.#at + 1, end), true);
    this.#at = end + 1;
  }

  #quotedUntil(end: '"' | undefined) {
    this.#touch().quoted = true;
    const escapable = `$\`\\\n${end ?? ''}`;
    for (;;) {
      const char = this.#line[this.#at];
      if (char === end) return this.#skip(1, false);
      if (char === undefined) return this.#giveUp();
      if (char === '$') this.#dollar(true);
      else if (char === '`') this.#backtick();
      else if (char === '\\' && escapable.includes(this.#line[this.#at + 1] ?? ' ')) this.#escape();
      else {
        this.#append(char, true);
        this.#at += 1;
      }
    }
  }

  #dollar(inQuotes: boolean) {
    const next = this.#line[this.#at + 1] ?? '';
    if (next === '(') {
      const end = closingAt(this.#line, this.#at + 1, '(', ')');
      if (end === undefined) return this.#giveUp();
      this.#nested.push(this.#line.slice(this.#at + 2, end));
      return this.#dynamic(end + 1);
    }
    if (next === '{') {
      const end = closingAt(this.#line, this.#at + 1, '{', '}');
      if (end === undefined) return this.#giveUp();
      // A default value may hold a substitution of its own.
      this.#nested.push(...lexShell(this.#line.slice(this.#at + 2, end)).nested);
      return this.#dynamic(end + 1);
    }
    if (/[A-Za-z_]/.test(next)) {
      const name = /^\w+/.exec(this.#line.slice(this.#at + 1))![0];
      return this.#dynamic(this.#at + 1 + name.length);
    }
    if (/[0-9?#$!@*-]/.test(next)) return this.#dynamic(this.#at + 2);
    if (next === "'" && !inQuotes) this.#clear = false;
    this.#append('$', true);
    this.#at += 1;
  }

  #backtick() {
    let end = this.#at + 1;
    while (end < this.#line.length && this.#line[end] !== '`') end += this.#line[end] === '\\' ? 2 : 1;
    if (end >= this.#line.length) return this.#giveUp();
    this.#nested.push(this.#line.slice(this.#at + 1, end).replace(/\\([\\`$])/g, '$1'));
    this.#dynamic(end + 1);
  }

  #dynamic(next: number) {
    this.#append(this.#line.slice(this.#at, next), true);
    this.#word!.dynamic = true;
    this.#at = next;
  }

  #redirect() {
    if (this.#word && !this.#word.quoted && /^\d+$/.test(this.#word.text)) this.#word = undefined;
    this.#endWord();
    const rest = this.#rest();
    if (rest.startsWith('<(') || rest.startsWith('>(')) {
      this.#clear = false;
      const end = closingAt(this.#line, this.#at + 1, '(', ')');
      if (end === undefined) return this.#giveUp();
      this.#nested.push(this.#line.slice(this.#at + 2, end));
      return this.#dynamic(end + 1);
    }
    const text = redirects.find((it) => rest.startsWith(it))!;
    this.#tokens.push({ kind: 'redirect', text });
    if (text === '<<' || text === '<<-') this.#expectsDelimiter = text;
    this.#at += text.length;
  }

  #operator() {
    this.#endWord();
    const text = operators.find((it) => this.#rest().startsWith(it))!;
    if (text.startsWith(';;') || text === ';&') this.#clear = false;
    this.#tokens.push({ kind: 'operator', text });
    this.#at += text.length;
  }

  #newline() {
    this.#endWord();
    this.#tokens.push({ kind: 'operator', text: '\n' });
    this.#at += 1;
    for (const heredoc of this.#heredocs.splice(0)) {
      const body = this.#heredocBody(heredoc);
      if (body === undefined) return this.#giveUp();
      if (heredoc.quoted) continue;
      const expanded = new Lexer(body).runBody();
      this.#nested.push(...expanded.nested);
      if (!expanded.clear || expanded.tokens.some((it) => it.kind === 'word' && it.word.dynamic)) this.#clear = false;
    }
  }

  /** @returns `undefined` where it does not end */
  #heredocBody({ delimiter, quoted, stripTabs }: Heredoc): string | undefined {
    const body: string[] = [];
    let continued: string | undefined;
    while (this.#at < this.#line.length) {
      const end = this.#line.indexOf('\n', this.#at);
      const raw = this.#line.slice(this.#at, end < 0 ? undefined : end);
      this.#at = end < 0 ? this.#line.length : end + 1;
      const text = stripTabs ? raw.replace(/^\t+/, '') : raw;
      // Shells disagree on whether a line that a backslash joins to the one before can end the body.
      if (continued !== undefined && (text === delimiter || continued + text === delimiter)) this.#clear = false;
      if (text === delimiter) return body.join('\n');
      body.push(raw);
      const isContinued = !quoted && /(?<!\\)(?:\\\\)*\\$/.test(text);
      continued = isContinued ? (continued ?? '') + text.slice(0, -1) : undefined;
    }
    return undefined;
  }

  #endWord() {
    const word = this.#word;
    this.#word = undefined;
    if (!word) return;
    if (/\{[^}]*(?:,|\.\.)[^{]*\}/.test(word.unquoted)) this.#clear = false;
    if (this.#expectsDelimiter) {
      const stripTabs = this.#expectsDelimiter === '<<-';
      this.#heredocs.push({ delimiter: word.text, quoted: word.quoted, stripTabs });
      this.#expectsDelimiter = undefined;
    }
    this.#tokens.push({ kind: 'word', word: toShellWord(word) });
  }

  #giveUp() {
    this.#clear = false;
    this.#at = this.#line.length;
  }
}

interface Heredoc {
  readonly delimiter: string;
  readonly quoted: boolean;
  readonly stripTabs: boolean;
}

interface Word {
  text: string;
  /** The same, with a NUL for every quoted piece. */
  unquoted: string;
  quoted: boolean;
  dynamic: boolean;
}

const redirects = ['&>>', '&>', '<<<', '<<-', '<<', '<&', '<>', '<', '>>', '>|', '>&', '>'];
const operators = [';;&', ';;', ';&', ';', '&&', '&', '||', '|&', '|', '(', ')'];

function toShellWord({ text, unquoted, quoted, dynamic }: Word): ShellWord {
  const glob = /[*?[]/.test(unquoted);
  const globQuoted = quoted && /[*?[~]/.test(text);
  const canonical = bareWord.test(text) && !globQuoted ? text : `'${text.replaceAll("'", "'\\''")}'`;
  return { text, canonical, dynamic, glob, quoted, tilde: unquoted.startsWith('~') };
}

/** The index of the bracket that closes the one at `open`, quotes respected. */
function closingAt(line: string, open: number, opening: string, closing: string): number | undefined {
  let depth = 0;
  for (let at = open; at < line.length; at += 1) {
    const char = line[at]!;
    if (char === '\\') at += 1;
    else if (char === "'") {
      at = line.indexOf("'", at + 1);
      if (at < 0) return undefined;
    } else if (char === '"') {
      at += 1;
      while (at < line.length && line[at] !== '"') at += line[at] === '\\' ? 2 : 1;
    } else if (char === opening) depth += 1;
    else if (char === closing && --depth === 0) return at;
  }
  return undefined;
}

function isControl(char: string): boolean {
  const code = char.charCodeAt(0);
  return code < 32 || code === 127;
}
