import { type CommandLine, parseCommandLine, type SimpleCommand } from './commandLine.ts';
import type { ShellWord } from './shellTokens.ts';

const shells = new Set(['sh', 'bash', 'zsh', 'dash', 'ksh', 'ash', 'fish']);
/** How a program that runs another one spells what stands before that one's name. */
interface Wrapper {
  /** Words that are no options, as the duration of `timeout`. */
  readonly operands?: number;
  /** Options whose value is the next word. */
  readonly valued?: readonly string[];
  /** Long options without a value. Any other long option may have one. */
  readonly flags?: readonly string[];
}
/** They run their arguments as a command and change nothing about what it does. */
const transparent: ReadonlyMap<string, Wrapper> = new Map<string, Wrapper>([
  ['nohup', {}],
  ['command', {}],
  ['builtin', {}],
  ['nice', { valued: ['-n', '--adjustment'] }],
  [
    'timeout',
    {
      operands: 1,
      valued: ['-k', '-s', '--kill-after', '--signal'],
      flags: ['--foreground', '--preserve-status', '--verbose'],
    },
  ],
  ['exec', { valued: ['-a'] }],
  ['stdbuf', { valued: ['-i', '-o', '-e', '--input', '--output', '--error'] }],
  ['setsid', { flags: ['--ctty', '--fork', '--wait'] }],
  ['ionice', { valued: ['-c', '-n', '-p', '-P', '-u', '--class', '--classdata'], flags: ['--ignore'] }],
]);
const envOptions: Wrapper = { valued: ['-u', '-C', '--unset', '--chdir'] };
/** They run a command too, but not as it stands there: several times, with more arguments, elsewhere, or through a shell. */
const runners: ReadonlyMap<string, Wrapper> = new Map<string, Wrapper>([
  ['xargs', { valued: ['-I', '-n', '-P', '-L', '-s', '-d', '-a', '-E'] }],
  ['parallel', { valued: ['-j', '-I', '-a', '-n', '-N'] }],
  ['flock', { operands: 1, valued: ['-w', '-E'] }],
  ['chrt', { operands: 1 }],
  ['taskset', { operands: 1 }],
  ['strace', { valued: ['-e', '-o', '-s'] }],
  ['ltrace', { valued: ['-e', '-o', '-s'] }],
  ['watch', { valued: ['-n'] }],
  ...['busybox', 'toybox', 'script', 'caffeinate', 'systemd-run', 'unbuffer', 'entr'].map((it) => [it, {}] as const),
]);
const asOtherUser = new Set(['sudo', 'doas', 'su', 'pkexec', 'runuser']);
const interpreters = /^(?:python[\d.]*|pypy\d*|node|nodejs|deno|bun|perl|ruby|php|lua|osascript|pwsh|powershell)$/;

/** Options that hold a program or name one to load; it may follow in the same word. Values of -W, -X, -m and -I are other things. */
const programText = /^(?:-(?![WXmI])[a-zA-Z]*[ceEpr]|(?:--(?:eval|print)(?:=|$)|eval$))/;

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
  const wrapper = transparent.get(program);
  if (wrapper) {
    if (program === 'command' && /^-[vV]/.test(command.words[1]?.text ?? '')) return asIs;
    return unwrapCommands(inner(command, wrapper), depth + 1);
  }
  if (program === 'env') return unwrapEnv(command, depth);
  if (asOtherUser.has(program)) return both(command, unwrapCommands(inner(command, {}), depth + 1), true);
  const runner = runners.get(program);
  if (runner) return both(command, unwrapCommands(inner(command, runner), depth + 1), false);
  if (program === 'find') return unwrapFind(command, depth);
  if (program === 'eval') {
    const text = command.words
      .slice(1)
      .map((it) => it.text)
      .join(' ');
    return both(command, unwrapCommands(parseCommandLine(text, depth + 1), depth + 1), false);
  }
  if (program === 'source' || program === '.') return { commands: [command], clear: false };
  const runsText = command.words.slice(1).some((it) => programText.test(it.text));
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
  return both(command, unwrapCommands(inner(command, envOptions), depth + 1), false);
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

/** What follows the wrapper's own options and its operands. */
function inner(command: SimpleCommand, wrapper: Wrapper): CommandLine {
  let at = 1;
  let left = wrapper.operands ?? 0;
  let clear = true;
  for (; at < command.words.length; at += 1) {
    const { text } = command.words[at]!;
    if (text.startsWith('-')) {
      if (takesNext(text, wrapper)) at += 1;
      if (/^--[^=]+$/.test(text) && !wrapper.valued?.includes(text) && !wrapper.flags?.includes(text)) clear = false;
    } else if (!/^[A-Za-z_]\w*=/.test(text) && left-- <= 0) break;
  }
  const words = command.words.slice(at);
  if (words.length === 0) return { commands: [], clear: false };
  return { commands: [withWords(command, words)], clear: clear && !words[0]!.dynamic };
}

/** Of a bundle of short options the first with a value takes the rest of the word, or else the next word. */
function takesNext(option: string, { valued = [] }: Wrapper): boolean {
  if (option.startsWith('--')) return valued.includes(option);
  const first = option.split('').findIndex((it, n) => n > 0 && valued.includes(`-${it}`));
  return first === option.length - 1;
}

function both(outer: SimpleCommand, found: CommandLine, clear: boolean): CommandLine {
  return { commands: [outer, ...found.commands], clear: clear && found.clear };
}

function withWords(command: SimpleCommand, words: readonly ShellWord[]): SimpleCommand {
  return { assignments: command.assignments, words, redirects: command.redirects, piped: command.piped };
}
