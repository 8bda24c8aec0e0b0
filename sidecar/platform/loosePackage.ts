import { basename } from 'node:path';

/** How a program is called that fetches a package and runs it. */
interface Runner {
  /** Words before the package, as `tool run`; empty where it is at once. */
  readonly words: readonly string[];
  /** Options that name a package, which is then no plain argument. */
  readonly named: readonly string[];
  /** Options that name one more package. */
  readonly beside: readonly string[];
  /** Options of which the next argument is the value. */
  readonly valued: readonly string[];
  readonly exact: RegExp;
}

const ofNpm = {
  named: ['-p', '--package'],
  beside: [],
  valued: ['-c', '--call', '--registry', '--cache', '--prefix', '-w', '--workspace', '--userconfig'],
  exact: /^(?:@[^/@]+\/)?[^/@]+@(?:npm:(?:@[^/@]+\/)?[^/@]+@)?\d+\.\d+\.\d+(?:[-+][\w.+-]+)?$/,
};
const ofPython = {
  named: ['--from', '--spec'],
  beside: ['--with'],
  valued: ['-p', '--python', '--index-url', '--index', '--extra-index-url', '--default-index', '--directory'],
  exact: /^[A-Za-z0-9._-]+(?:\[[^\]]*\])?(?:==|@)\d[\w.!+-]*$/,
};
const runners: Readonly<Record<string, readonly Runner[]>> = {
  npx: [{ words: [], ...ofNpm }],
  pnpx: [{ words: [], ...ofNpm }],
  bunx: [{ words: [], ...ofNpm }],
  npm: ['exec', 'x'].map((it) => ({ words: [it], ...ofNpm })),
  pnpm: [{ words: ['dlx'], ...ofNpm }],
  yarn: [{ words: ['dlx'], ...ofNpm }],
  bun: [{ words: ['x'], ...ofNpm }],
  uvx: [{ words: [], ...ofPython }],
  uv: [{ words: ['tool', 'run'], ...ofPython }],
  pipx: [{ words: ['run'], ...ofPython }],
};

/**
 * Whether a program would fetch a package without its exact version, and so could be another program tomorrow.
 * Files and programs that are there already are not fetched.
 */
export function fetchesLoosely(
  command: string | null | undefined,
  args: readonly string[] | null | undefined,
): boolean {
  const name = basename((command ?? '').replaceAll('\\', '/')).replace(/\.(?:cmd|exe|bat|ps1)$/i, '');
  const all = args ?? [];
  const runner = runners[name.toLowerCase()]?.find(({ words }) => words.every((it, at) => all[at] === it));
  if (!runner) return false;
  return packagesOf(runner, all.slice(runner.words.length)).some((it) => !isLocal(it) && !runner.exact.test(it));
}

function packagesOf({ named, beside, valued }: Runner, args: readonly string[]): readonly string[] {
  const found: string[] = [];
  const more: string[] = [];
  for (let at = 0; at < args.length; at += 1) {
    const [option, inline] = splitOption(args[at] ?? '');
    const value = () => inline ?? args[(at += 1)] ?? '';
    if (named.includes(option)) found.push(value());
    else if (beside.includes(option)) more.push(...value().split(','));
    else if (valued.includes(option)) value();
    else if (!option.startsWith('-') || option === '--') {
      // What follows belongs to the program that is run.
      const plain = option === '--' ? args[at + 1] : args[at];
      return found.length > 0 || plain === undefined ? [...found, ...more] : [plain, ...more];
    }
  }
  return [...found, ...more];
}

function splitOption(arg: string): readonly [option: string, value?: string] {
  const at = arg.startsWith('--') ? arg.indexOf('=') : -1;
  return at < 0 ? [arg] : [arg.slice(0, at), arg.slice(at + 1)];
}

const isLocal = (name: string) => /^(?:\.{1,2}(?:[\\/]|$)|[\\/~]|file:|[A-Za-z]:[\\/])/.test(name);
