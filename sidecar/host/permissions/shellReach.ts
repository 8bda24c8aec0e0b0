import type { SimpleCommand } from './commandLine.ts';
import type { PathComparison } from './facts.ts';
import { isAbsolutePath, isInside, resolvePath } from './paths.ts';
import type { ShellWord } from './shellTokens.ts';
import { programOf } from './wrappedCommands.ts';

/** What the words of a command line say about files. Links are not followed: the caller has no disk here. */
export interface ShellReach {
  /** Something named in the line may lie outside the folders. */
  readonly leaves: boolean;
  /** Absolute paths that redirections write to, besides devices that keep nothing. */
  readonly writes: readonly string[];
  /** Absolute paths that words may name; many of them are no paths at all. */
  readonly mentions: readonly string[];
}

const devices = /^\/dev\/(?:null|stdin|stdout|stderr|tty|zero|u?random|fd\/\d+)$/;
const systemFolders = /^(?:\/usr(?:\/local)?)?\/s?bin\/[^/]+$|^\/opt\/homebrew\/bin\/[^/]+$/;

/** Follows `cd`: from there on a relative path is judged against each folder the shell may be in. */
export function readReach(
  commands: readonly SimpleCommand[],
  cwd: string | undefined,
  folders: readonly string[],
  comparison: PathComparison,
): ShellReach {
  const standing = new Set(cwd === undefined ? folders.slice(0, 1) : [cwd]);
  const writes = new Set<string>();
  const mentions = new Set<string>();
  let leaves = [...standing].some((it) => !isInside(it, folders, comparison)) || standing.size === 0;
  const resolveAll = (text: string) => [...standing].map((it) => resolvePath(it, text));
  const visit = (text: string, into?: Set<string>) => {
    for (const path of resolveAll(text)) {
      if (devices.test(path)) continue;
      into?.add(path);
      mentions.add(path);
      if (!isInside(path, folders, comparison)) leaves = true;
    }
  };
  for (const command of commands) {
    command.words.forEach((word, n) => {
      if (n === 0 && systemFolders.test(word.text)) return;
      if (word.tilde) leaves = true;
      for (const text of pathsIn(word)) visit(text);
    });
    for (const word of command.assignments) for (const text of pathsIn(word)) visit(text);
    for (const { target, writes: isWrite } of command.redirects) {
      if (target.tilde || target.dynamic || target.glob) leaves = true;
      visit(target.text, isWrite ? writes : undefined);
    }
    const program = programOf(command);
    if (program === 'pushd' || program === 'popd') leaves = true;
    if (program === 'cd' || program === 'pushd') {
      const to = command.words.slice(1).find((it) => !/^-[LPe@]+$/.test(it.text));
      if (!to || to.text === '-' || standing.size > 16) leaves = true;
      else for (const path of resolveAll(to.text)) standing.add(path);
    }
  }
  return { leaves, writes: [...writes], mentions: [...mentions] };
}

/** The pieces of a word that a program may take for a path. Addresses of the network are left out. */
function pathsIn(word: ShellWord): string[] {
  const { text } = word;
  if (/^[a-z][a-z0-9+.-]+:\/\//i.test(text) && !/^file:/i.test(text)) return [];
  if (/^file:/i.test(text)) return [text.replace(/^file:\/*/i, '/')];
  const pieces = [text];
  // `--out=/x`, `of=/x`, `-I/x`, `-v /a:/b`: a path may begin in the middle of a word.
  for (const found of text.matchAll(/[=:,@]/g)) pieces.push(text.slice(found.index + 1));
  const attached = /^-[A-Za-z](.+)$/.exec(text)?.[1];
  if (attached) pieces.push(attached);
  if (pieces.some((it) => it.startsWith('~'))) pieces.push('/~');
  return pieces.filter((it) => it !== '' && !it.startsWith('-') && (!/^~/.test(it) || isAbsolutePath(it)));
}
