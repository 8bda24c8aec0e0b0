import { lexShell, type ShellToken, type ShellWord } from './shellTokens.ts';

/** One program with its arguments, or redirections alone. */
export interface SimpleCommand {
  /** `NAME=value` in front of the program. */
  readonly assignments: readonly ShellWord[];
  readonly words: readonly ShellWord[];
  readonly redirects: readonly Redirect[];
  /** Its standard input is the output of another command. */
  readonly piped: boolean;
}
export interface Redirect {
  readonly target: ShellWord;
  readonly writes: boolean;
}
export interface CommandLine {
  /** Every simple command that could be found, also in substitutions, in the order of the text. */
  readonly commands: readonly SimpleCommand[];
  /** False when the line may do something that `commands` does not show: then nothing is approved by itself. */
  readonly clear: boolean;
}

/** Takes a POSIX shell line apart at `;`, `&&`, `||`, pipes, newlines, groups and substitutions. */
export function parseCommandLine(line: string, depth = 0): CommandLine {
  if (depth > 5) return { commands: [], clear: false };
  const lexed = lexShell(line);
  const parsed = groupTokens(lexed.tokens);
  const inner = lexed.nested.map((it) => parseCommandLine(it, depth + 1));
  const isDynamic = lexed.tokens.some((it) => it.kind === 'word' && it.word.dynamic);
  return {
    commands: [...parsed.commands, ...inner.flatMap((it) => it.commands)],
    clear: lexed.clear && parsed.clear && !isDynamic && inner.every((it) => it.clear),
  };
}

const reserved = new Set(
  'if then else elif fi for while until do done case esac in function select coproc [[ ]] (('.split(' '),
);
const grouping = new Set(['!', '{', '}', 'time']);

function groupTokens(tokens: readonly ShellToken[]): CommandLine {
  const commands: SimpleCommand[] = [];
  let clear = true;
  let current = newCommand(false);
  let open = 0;
  const finish = (piped: boolean) => {
    if (current.words.length + current.assignments.length + current.redirects.length > 0) commands.push(current);
    current = newCommand(piped);
  };
  for (let at = 0; at < tokens.length; at += 1) {
    const token = tokens[at]!;
    if (token.kind === 'redirect') {
      const next = tokens[++at];
      if (next?.kind !== 'word') clear = false;
      else if (token.text !== '<<' && token.text !== '<<-' && token.text !== '<<<') {
        const isDescriptor = /^[<>]&$/.test(token.text) && /^(?:\d+-?|-)$/.test(next.word.text);
        if (!isDescriptor) current.redirects.push({ target: next.word, writes: token.text.includes('>') });
      }
    } else if (token.kind === 'operator') {
      if (token.text === '(') {
        if (current.words.length > 0) clear = false;
        open += 1;
      }
      if (token.text === ')' && --open < 0) clear = false;
      finish(token.text === '|' || token.text === '|&' || (token.text === '(' && current.piped));
    } else {
      const { word } = token;
      const isFirst = current.words.length === 0;
      if (isFirst && !word.quoted && reserved.has(word.text)) clear = false;
      else if (isFirst && !word.quoted && grouping.has(word.text)) continue;
      else if (isFirst && /^[A-Za-z_]\w*\+?=/.test(word.text)) current.assignments.push(word);
      else {
        if (isFirst && (word.dynamic || word.glob || word.text === '')) clear = false;
        current.words.push(word);
      }
    }
  }
  finish(false);
  return { commands, clear: clear && open === 0 };
}

function newCommand(piped: boolean) {
  return { assignments: [] as ShellWord[], words: [] as ShellWord[], redirects: [] as Redirect[], piped };
}
