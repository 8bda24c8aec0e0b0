import { type CommandLine, parseCommandLine, type SimpleCommand } from './commandLine.ts';
import type { ShellWord } from './shellTokens.ts';

const shells = new Set(['sh', 'bash', 'zsh', 'dash', 'ksh', 'ash', 'fish']);
/** They run their arguments as a command and change nothing about what it does. */
const transparent = new Set(['nohup', 'nice', 'timeout', 'command', 'builtin', 'exec', 'stdbuf', 'setsid', 'ionice']);
const optionsWithValue = new Set(['-n', '-k', '-s', '-c', '-p', '-o', '-e', '-i']);
const asOtherUser = new Set(['sudo', 'doas', 'su', 'pkexec', 'runuser']);
const interpreters = /^(?:python[\d.]*|pypy\d*|node|nodejs|deno|bun|perl|ruby|php|lua|osascript|pwsh|powershell)$/;

/** The name of the program without its folder and, on Windows, without its ending. */
export function programOf(command: SimpleCommand): string {
  const name = command.words[0]?.text ?? '';
  return name.slice(name.lastIndexOf('/') + 1).replace(/\.(?:exe|cmd|bat)$/i, '');
}

/** Adds the commands that other commands run (`sh -c`, `xargs`, `find -exec`, `env`, `sudo` …). */
export function unwrapCommands(line: CommandLine, depth = 0): CommandLine {
  const results = line.commands.map((it) => unwrapOne(it, depth));
  return {
    commands: results.flatMap((it) => it.commands),
    clear: line.clear && results.every((it) => it.clear),
  };
}

function unwrapOne(command: SimpleCommand, depth: number): CommandLine {
  const program = programOf(command);
  const asIs: CommandLine = { commands: [command], clear: true };
  if (depth > 5) return { commands: [command], clear: false };
  if (shells.has(program)) return unwrapShell(command, depth);
  if (transparent.has(program)) {
    if (program === 'command' && /^-[vV]/.test(command.words[1]?.text ?? '')) return asIs;
    return unwrapCommands(inner(command, program === 'timeout' ? 1 : 0), depth + 1);
  }
  if (program === 'env') return unwrapEnv(command, depth);
  if (asOtherUser.has(program)) return both(command, unwrapCommands(inner(command, 0), depth + 1), true);
  if (program === 'xargs' || program === 'parallel') {
    return both(command, unwrapCommands(inner(command, 0), depth + 1), false);
  }
  if (program === 'find') return unwrapFind(command, depth);
  if (program === 'eval') {
    const text = command.words
      .slice(1)
      .map((it) => it.text)
      .join(' ');
    return both(command, unwrapCommands(parseCommandLine(text, depth + 1), depth + 1), false);
  }
  if (program === 'source' || program === '.') return { commands: [command], clear: false };
  const runsText = command.words.slice(1).some((it) => /^(?:-[a-zA-Z]*[ceEpr]|--eval|--print|eval)$/.test(it.text));
  if (interpreters.test(program) && (runsText || (command.piped && command.words.length === 1))) {
    return { commands: [command], clear: false };
  }
  return asIs;
}

function unwrapShell(command: SimpleCommand, depth: number): CommandLine {
  const flag = command.words.findIndex((it, n) => n > 0 && /^-[a-z]*c[a-z]*$/.test(it.text));
  const text = flag < 0 ? undefined : command.words[flag + 1];
  if (!text) return { commands: [command], clear: !command.piped && command.words.length > 1 };
  const parsed = unwrapCommands(parseCommandLine(text.text, depth + 1), depth + 1);
  const isPlain = command.assignments.length === 0 && command.redirects.length === 0 && flag === 1;
  return isPlain
    ? parsed
    : both(
        command,
        parsed,
        command.words.slice(1, flag).every((it) => /^-[a-z]+$/.test(it.text)),
      );
}

function unwrapEnv(command: SimpleCommand, depth: number): CommandLine {
  const rest = command.words.slice(1);
  const at = rest.findIndex((it) => !/^[A-Za-z_]\w*=/.test(it.text));
  const first = rest[at];
  if (!first) return { commands: [command], clear: true };
  const assignments = [...command.assignments, ...rest.slice(0, at)];
  const wrapped = [{ ...command, assignments, words: rest.slice(at) }];
  if (!first.text.startsWith('-')) return unwrapCommands({ commands: wrapped, clear: true }, depth + 1);
  return both(command, unwrapCommands(inner(command, 0), depth + 1), false);
}

function unwrapFind(command: SimpleCommand, depth: number): CommandLine {
  const found: SimpleCommand[] = [];
  let from: number | undefined;
  command.words.forEach((word, n) => {
    if (/^-(?:exec|ok)(?:dir)?$/.test(word.text)) from = n + 1;
    else if (from !== undefined && (word.text === ';' || word.text === '+')) {
      found.push(withWords(command, command.words.slice(from, n)));
      from = undefined;
    }
  });
  return both(command, unwrapCommands({ commands: found, clear: true }, depth + 1), from === undefined);
}

/** What follows the wrapper's own options and its first `operands` operands. */
function inner(command: SimpleCommand, operands: number): CommandLine {
  let at = 1;
  let left = operands;
  for (; at < command.words.length; at += 1) {
    const text = command.words[at]!.text;
    if (optionsWithValue.has(text)) at += 1;
    else if (!text.startsWith('-') && !/^[A-Za-z_]\w*=/.test(text) && left-- <= 0) break;
  }
  const words = command.words.slice(at);
  const wrapped = words.length === 0 ? command.words.slice(0, 0) : words;
  if (wrapped.length === 0) return { commands: [], clear: false };
  return { commands: [withWords(command, wrapped)], clear: !wrapped[0]!.dynamic };
}

function both(outer: SimpleCommand, found: CommandLine, clear: boolean): CommandLine {
  return { commands: [outer, ...found.commands], clear: clear && found.clear };
}

function withWords(command: SimpleCommand, words: readonly ShellWord[]): SimpleCommand {
  return { assignments: command.assignments, words, redirects: command.redirects, piped: command.piped };
}
