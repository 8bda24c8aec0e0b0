import type { Children } from '../../../platform/children/children.ts';
import { findCommand } from '../../../platform/children/findCommand.ts';
import type { Timers } from '../../../platform/timers.ts';
import type { SessionContext } from '../../provider.ts';
import { isInside } from './readable.ts';
import { toRipgrepPattern } from './ripgrepPattern.ts';

export interface RipgrepDeps {
  readonly children: Pick<Children, 'spawn'>;
  readonly timers: Pick<Timers, 'deadline'>;
  /** Absolute path of the editor's. */
  readonly ripgrep?: string | undefined;
}

type Session = Pick<SessionContext, 'env' | 'folders' | 'isSandboxed'>;

const LIMIT_MS = 20_000;
const MOST_OUTPUT = 64 * 1024 * 1024;

/** The files that `walk` finds: what a `.gitignore` in the folder or below it ignores is left out, and nothing else. */
const walked = [
  '--no-config',
  '--hidden',
  '--glob=!.git',
  '--no-require-git',
  '--no-ignore-parent',
  '--no-ignore-global',
  '--no-ignore-exclude',
  '--no-ignore-dot',
  '--null',
  '--color=never',
  '--path-separator=/',
];

/** Finds files and lines with ripgrep, which is much faster in large folders. Each method returns `undefined` if it could not run. */
export class Ripgrep {
  readonly #deps: RipgrepDeps;
  readonly #program: string;
  readonly #env: Readonly<Record<string, string>>;

  private constructor(deps: RipgrepDeps, program: string, env: Readonly<Record<string, string>>) {
    this.#deps = deps;
    this.#program = program;
    this.#env = env;
  }

  /**
   * It runs without a question and outside of the session's sandbox, so it must not be a program that the agent could have written.
   * @returns `undefined` if neither the editor nor the PATH has it
   */
  static async find(deps: RipgrepDeps, { env, folders, isSandboxed = false }: Session): Promise<Ripgrep | undefined> {
    const ofEditor = deps.ripgrep === undefined ? undefined : findCommand(deps.ripgrep, env);
    const program = ofEditor ?? (isSandboxed ? undefined : findCommand('rg', env));
    if (program === undefined || (await isInside(program, folders))) return undefined;
    return new Ripgrep(deps, program, env);
  }

  /**
   * The files in a folder, in the order of `walk`. Paths are relative to it, with slashes.
   * @throws the reason of the signal
   */
  async files(root: string, signal: AbortSignal): Promise<readonly string[] | undefined> {
    const found = await this.#run(root, ['--files', ...walked], signal);
    return found?.toSorted((a, b) => (inOrder(a) < inOrder(b) ? -1 : 1));
  }

  /**
   * The files in a folder in which a line can match the JavaScript pattern. Some may have no such line.
   * @throws the reason of the signal
   */
  async candidates(
    root: string,
    pattern: string,
    ignoreCase: boolean,
    signal: AbortSignal,
  ): Promise<ReadonlySet<string> | undefined> {
    const translated = toRipgrepPattern(pattern);
    if (translated === undefined) return undefined;
    // The pattern is part of one argument, so it cannot be an option.
    const search = [`--regexp=${translated}`, '--files-with-matches', '--text', '--encoding=none', '--max-filesize=2M'];
    const all = [...search, ignoreCase ? '--ignore-case' : '--case-sensitive', ...walked];
    const found = await this.#run(root, all, signal);
    return found && new Set(found);
  }

  async #run(root: string, args: readonly string[], signal: AbortSignal): Promise<readonly string[] | undefined> {
    signal.throwIfAborted();
    const { children, timers } = this.#deps;
    const child = await children
      .spawn({
        command: this.#program,
        args: [...args, '--', './'],
        cwd: root,
        env: this.#env,
        role: 'tool',
        title: 'ripgrep',
      })
      .catch(() => undefined); // for example, there is no such folder, as the search without ripgrep says
    if (!child) return undefined;
    const ends = AbortSignal.any([signal, timers.deadline(LIMIT_MS)]);
    const stop = () => void child.stop(0);
    ends.addEventListener('abort', stop);
    if (ends.aborted) stop();
    child.stdin.end();
    let output = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text;
      if (output.length > MOST_OUTPUT) stop();
    });
    const { code } = await child.exited;
    ends.removeEventListener('abort', stop);
    signal.throwIfAborted();
    // 1: nothing was found. Other codes: a part may be missing.
    if (code !== 0 && code !== 1) return undefined;
    return output
      .split('\0')
      .filter((it) => it !== '')
      .map((it) => it.replace(/^\.\//, ''));
  }
}

/** `walk` compares the names of each folder, so a slash comes before all characters of names. */
const inOrder = (path: string): string => path.replaceAll('/', '\0');
