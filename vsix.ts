import { execFile } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { cacheFolder, isAlive, projectRoot } from './test/support/cache.ts';
import { say } from './test/support/say.ts';

/** The packages differ in the binaries of the one native module, `node-pty`. */
const targets = ['linux-x64', 'linux-arm64', 'darwin-x64', 'darwin-arm64', 'win32-x64', 'win32-arm64'];
const maxPackageBytes = 4_194_304;
/** What the Marketplace and the editor's details page show; the repository's README is for whoever builds it. */
const page = 'MARKETPLACE.md';

/** What each bundle may weigh, minified, with all that it loads at once; the host by its source. Lazy chunks do not count. */
const budgets: Readonly<Record<string, number>> = {
  'dist/extension.cjs': 20_000,
  'dist/window.cjs': 400_000,
  'dist/languageclient.cjs': 500_000,
  'dist/oauth.cjs': 150_000,
  'dist/remote.cjs': 100_000,
  'dist/jsonc.cjs': 20_000,
  // 450 kB was the plan; zod's compiler and the ACP adapter came on top. What counts is the bench's host ready under 150 ms.
  'sidecar/host/host.ts': 480_000,
  'dist/media/chat.js': 500_000,
  'dist/media/admin/admin.js': 500_000,
};

/** Packages the built extension for `target` and answers the path. Throws when it is 4 MB or more. */
export async function makePackage(target: string, folder: string): Promise<string> {
  mkdirSync(folder, { recursive: true });
  const { version } = JSON.parse(readFileSync(join(projectRoot, 'package.json'), 'utf8')) as { version: string };
  const packagePath = join(folder, `switchboard-${target}-${version}.vsix`);
  const ignoreFile = join(folder, `.vscodeignore-${target}`);
  const own = `!dist/native/node-pty/prebuilds/${target}/**`;
  writeFileSync(ignoreFile, `${readFileSync(join(projectRoot, '.vscodeignore'), 'utf8')}${own}\n`);
  const files = ['--ignoreFile', ignoreFile, '--readme-path', page];
  await vsce(projectRoot, ['--target', target, ...files, '--out', packagePath]);
  rmSync(ignoreFile);
  const { size } = statSync(packagePath);
  say(`package: ${packagePath.slice(projectRoot.length + 1)} ${size.toLocaleString('en')} bytes`);
  if (size >= maxPackageBytes)
    throw new Error(`the package for ${target} has ${size} bytes; the limit is ${maxPackageBytes}`);
  return packagePath;
}

/** The package for the machine this runs on, for `npm start` and the suites. */
export async function packageForHere(): Promise<string> {
  return makePackage(`${process.platform}-${process.arch}`, ownFolder());
}

/** Packages an extension of the tests' own. */
export async function packageOfTests(name: string, source: string): Promise<string> {
  const packagePath = join(ownFolder(), `${name}.vsix`);
  await vsce(source, ['--out', packagePath, '--skip-license']);
  return packagePath;
}

async function vsce(cwd: string, args: readonly string[]): Promise<void> {
  const entry = join(projectRoot, 'node_modules', '@vscode', 'vsce', 'vsce');
  const fixed = ['package', '--no-dependencies', '--allow-missing-repository', '--no-rewrite-relative-links'];
  await promisify(execFile)(process.execPath, [entry, ...fixed, ...args], { cwd });
}

/** Packages made for one run; what ended runs left is removed. */
function ownFolder(): string {
  const parent = join(cacheFolder, 'packages');
  const own = join(parent, String(process.pid));
  mkdirSync(own, { recursive: true });
  for (const it of readdirSync(parent))
    if (!isAlive(Number(it))) rmSync(join(parent, it), { recursive: true, force: true });
  return own;
}

interface Output {
  readonly bytes: number;
  readonly entryPoint?: string;
  readonly imports: readonly { readonly path: string; readonly kind: string; readonly external?: boolean }[];
}

/** Bytes of a bundle and of the chunks that it imports statically. */
function eagerBytes(outputs: Readonly<Record<string, Output>>, path: string, seen = new Set<string>()): number {
  const output = outputs[path];
  if (!output || seen.has(path)) return 0;
  seen.add(path);
  const eager = output.imports.filter((it) => !it.external && it.kind === 'import-statement');
  return output.bytes + eager.reduce((sum, it) => sum + eagerBytes(outputs, it.path, seen), 0);
}

function checkBudgets(): void {
  const meta = JSON.parse(readFileSync(join(projectRoot, 'dist', 'meta.json'), 'utf8')) as Record<
    string,
    { outputs: Record<string, Output> }
  >;
  const outputs = Object.assign({}, ...Object.values(meta).map((it) => it.outputs)) as Record<string, Output>;
  for (const [path, limit] of Object.entries(budgets)) {
    const built = Object.keys(outputs).find(
      (it) => it === path || (outputs[it]?.entryPoint === path && it.startsWith('dist/sidecar/')),
    );
    const bytes = eagerBytes(outputs, built ?? path);
    if (bytes === 0) throw new Error(`${path} was not built`);
    say(`package: ${path} ${bytes.toLocaleString('en')} of ${limit.toLocaleString('en')} bytes`);
    if (bytes > limit) throw new Error(`${path} is over its budget`);
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  checkBudgets();
  for (const target of targets) await makePackage(target, join(projectRoot, 'dist', 'packages'));
}
