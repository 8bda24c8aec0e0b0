import { parseCommandLine, type SimpleCommand } from './commandLine.ts';
import { isDestructive } from './dangers.ts';
import type { PathComparison, PermissionFacts, Rule } from './facts.ts';
import { isInside } from './paths.ts';
import { canonicalCommand, isEverything, matchesCommand, matchesPath } from './patterns.ts';
import { readReach, type ShellReach } from './shellReach.ts';
import { programOf, unwrapCommands } from './wrappedCommands.ts';

/** A command line, taken apart for the rules. */
export interface ShellView {
  readonly line: string;
  readonly commands: readonly SimpleCommand[];
  readonly clear: boolean;
  readonly isDestructive: boolean;
  readonly reach: ShellReach;
}

export function readShell(facts: PermissionFacts, folders: readonly string[], comparison: PathComparison): ShellView {
  const line = (facts.command ?? '').trim();
  const { commands, clear } = unwrapCommands(parseCommandLine(line));
  return {
    line,
    commands,
    clear: clear && commands.length > 0,
    isDestructive: commands.some(isDestructive),
    reach: readReach(commands, facts.cwd, folders, comparison),
  };
}

/** A rule of the target `shell` that narrows speaks as soon as one command of the line matches. */
export function touchesShell(rule: Rule, view: ShellView): boolean {
  if (isEverything(rule.pattern) || rule.pattern.trim() === view.line) return true;
  return view.commands.some((it) => spellings(it).some((text) => matchesCommand(rule.pattern, text)));
}

/** The rules that together allow the line, or `undefined` when some part of it is allowed by none. */
export function allowShell(
  view: ShellView,
  rules: readonly Rule[],
  folders: readonly string[],
  comparison: PathComparison,
): readonly Rule[] | undefined {
  const ofShell = rules.filter((it) => it.target === 'shell');
  const exact = ofShell.find((it) => it.pattern.trim() === view.line);
  if (exact) return [exact];
  const used: Rule[] = [];
  for (const command of view.commands) {
    if (isHarmless(command)) continue;
    const text = canonicalCommand(command);
    const rule = ofShell.find((it) => isEverything(it.pattern) || matchesCommand(it.pattern, text));
    if (!rule) return undefined;
    used.push(rule);
  }
  for (const path of view.reach.writes) {
    const rule = rules.find((it) => it.target === 'edit' && matchesPath(it.pattern, path, folders, comparison));
    if (!rule || !isInside(path, folders, comparison)) return undefined;
    used.push(rule);
  }
  return used.length > 0 ? used : undefined;
}

/** Needs no rule of its own beside the others: where it leads is judged with the paths of the line. */
function isHarmless(command: SimpleCommand): boolean {
  return command.assignments.length === 0 && ['cd', 'true', ':'].includes(programOf(command));
}

/** With and without what stands in front of the program, and with the program's bare name. */
function spellings(command: SimpleCommand): string[] {
  const bare = command.words.map((it) => it.canonical);
  const named = [programOf(command), ...bare.slice(1)];
  const texts = [canonicalCommand(command), bare.join(' '), named.join(' ')];
  // `git -C dir push` is a push for a rule about `git push*`.
  if (programOf(command) === 'git') texts.push(['git', ...withoutGitOptions(bare.slice(1))].join(' '));
  return texts;
}

function withoutGitOptions(args: readonly string[]): readonly string[] {
  let at = 0;
  while (at < args.length && args[at]!.startsWith('-'))
    at += /^(?:-C|-c|--git-dir|--work-tree)$/.test(args[at]!) ? 2 : 1;
  return args.slice(at);
}
