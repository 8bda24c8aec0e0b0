import { execFile } from 'node:child_process';
import { copyFileSync, globSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs, promisify } from 'node:util';
import { type Listing, type Manifest, problemsOf } from './marketplace.ts';
import { cacheFolder, isAlive, projectRoot } from './test/support/cache.ts';
import { say } from './test/support/say.ts';

/** The packages differ in the binaries of the one native module, `node-pty`, and of the sandbox on Linux. */
export const targets = [
  'linux-x64',
  'linux-arm64',
  'linux-armhf',
  'alpine-x64',
  'alpine-arm64',
  'darwin-x64',
  'darwin-arm64',
  'win32-x64',
  'win32-arm64',
];
const nativeFolder = 'dist/native/node-pty';
const sandboxFolder = 'dist/sidecar/vendor/seccomp';
/** Not for Windows, where there are no sandboxes. */
const sandboxOwner = 'dist/sidecar/sandboxOwner.mjs';
const maxPackageBytes = 4_194_304;
/** What the Marketplace and the editor's details page show; the repository's README is for whoever builds it. */
const page = 'MARKETPLACE.md';

/**
 * The maximum size of each bundle in bytes, minified, with everything that it loads immediately. The host is found by its
 * source. Lazy chunks do not count, and `dist/shared.cjs` counts only for the window, which loads it first.
 */
const budgets: Readonly<Record<string, number>> = {
  'dist/extension.cjs': 20_000,
  'dist/window.cjs': 400_000,
  'dist/shared.cjs': 190_000,
  'dist/languageclient.cjs': 500_000,
  'dist/oauth.cjs': 150_000,
  'dist/remote.cjs': 100_000,
  'dist/jsonc.cjs': 20_000,
  'dist/chatturns.cjs': 20_000,
  'dist/chattexts.cjs': 20_000,
  'dist/attach.cjs': 20_000,
  'dist/diagnostics.cjs': 30_000,
  'dist/approvals.cjs': 20_000,
  'dist/addagent.cjs': 70_000,
  'dist/customizations.cjs': 20_000,
  'dist/worktrees.cjs': 20_000,
  'dist/sessions.cjs': 50_000,
  'dist/review.cjs': 40_000,
  'dist/gateway.cjs': 60_000,
  // 450 kB was the plan; zod's compiler and the ACP adapter came on top. What counts is the bench's host ready under 150 ms.
  'sidecar/host/host.ts': 480_000,
  // Every chat's page runs all of it. `chat.parts` contains it compressed.
  'dist/media/chat.js': 280_000,
  'dist/media/grammars.js': 100_000,
  'dist/media/mathml.js': 230_000,
  'dist/media/admin/admin.js': 500_000,
};

/**
 * All that a package can hold, of every platform: what `.vscodeignore` keeps, whose first line ignores everything. vsce lists the
 * same, but takes three seconds, because it compares each file of the repository with each line.
 */
export function packagedFiles(): readonly string[] {
  const lines = readFileSync(join(projectRoot, '.vscodeignore'), 'utf8').split('\n');
  const kept = lines.flatMap((it) => (it.startsWith('!') ? [it.slice(1).trim()] : []));
  return globSync(kept, { cwd: projectRoot, withFileTypes: true })
    .filter((it) => it.isFile())
    .map((it) => relative(projectRoot, join(it.parentPath, it.name)).replaceAll('\\', '/'))
    .sort();
}

/**
 * Of these files, those for `target`. Without binaries the native module is left out, and terminals run over pipes. An ignore
 * file cannot say it: in one, a line with `!` wins over every other, also over later ones.
 */
export function filesFor(target: string, files: readonly string[]): readonly string[] {
  const own = `${nativeFolder}/prebuilds/${target}/`;
  const hasBinaries = files.some((it) => it.startsWith(own));
  const isOfTarget = (it: string) =>
    hasBinaries && (it.startsWith(own) || !it.startsWith(`${nativeFolder}/prebuilds/`));
  const [system, processor] = target.split('-');
  const program = system === 'linux' || system === 'alpine' ? `${sandboxFolder}/${processor}/` : undefined;
  const hasProgram = program !== undefined && files.some((it) => it.startsWith(program));
  const isOfSandbox = (it: string) => hasProgram && (it.startsWith(program) || it === `${sandboxFolder}/LICENSE`);
  return files
    .filter((it) => !it.startsWith(`${nativeFolder}/`) || isOfTarget(it))
    .filter((it) => !it.startsWith(`${sandboxFolder}/`) || isOfSandbox(it))
    .filter((it) => system !== 'win32' || it !== sandboxOwner);
}

/** The manifest with what the address of the repository gives, in the layout that its hosts share. */
export function manifestOn(site: string | undefined, manifest: object): object {
  if (site === undefined) return manifest;
  return {
    ...manifest,
    homepage: `${site}#readme`,
    repository: { type: 'git', url: site },
    bugs: { url: `${site}/issues` },
  };
}

/** The address as it is written into the package. Throws where the Marketplace could not link to it. */
export function readSite(text: string): string {
  const url = URL.parse(text);
  if (url?.protocol !== 'https:' || url.search !== '' || url.hash !== '')
    throw new Error(
      `"${text}" is not the https address of a repository. Use an address such as https://host/owner/name.`,
    );
  return url.href.replace(/\/+$/, '');
}

/** What the Marketplace would look at in the package for `target`. */
export function listingOf(target: string, packaged: readonly string[]): Listing {
  const read = (path: string) => readFileSync(join(projectRoot, path));
  const manifest = JSON.parse(read('package.json').toString()) as Manifest;
  const types = JSON.parse(read('node_modules/@types/vscode/package.json').toString()) as { version: string };
  return {
    manifest,
    files: filesFor(target, packaged).map((path) => ({ path, bytes: statSync(join(projectRoot, path)).size })),
    page: read(page).toString(),
    changelog: read('CHANGELOG.md').toString(),
    icon: read(manifest.icon ?? 'media/icons/icon.png'),
    typesVersion: types.version,
  };
}

interface PackageOptions {
  readonly target: string;
  readonly folder: string;
  /** The address of the repository, where one is known. */
  readonly site?: string | undefined;
}

/** Packages the built extension and answers the path. Throws when it is 4 MB or more, or the Marketplace would refuse it. */
async function makePackage({ target, folder, site }: PackageOptions, packaged: readonly string[]): Promise<string> {
  const listing = listingOf(target, packaged);
  const problems = problemsOf(listing);
  if (problems.length > 0) throw new Error(`the package for ${target} cannot go out: ${problems.join('; ')}`);
  const packagePath = join(folder, `switchboard-${target}-${listing.manifest.version}.vsix`);
  const staged = join(folder, `staged-${target}`);
  rmSync(staged, { recursive: true, force: true });
  for (const { path } of listing.files) {
    mkdirSync(dirname(join(staged, path)), { recursive: true });
    copyFileSync(join(projectRoot, path), join(staged, path));
  }
  writeFileSync(join(staged, 'package.json'), `${JSON.stringify(manifestOn(site, listing.manifest), undefined, 2)}\n`);
  await vsce(staged, ['--target', target, '--readme-path', page, ...addressFlags(site), '--out', packagePath]);
  rmSync(staged, { recursive: true });
  const { size } = statSync(packagePath);
  say(`package: ${target} ${listing.files.length} files, ${size.toLocaleString('en')} bytes`);
  if (size >= maxPackageBytes)
    throw new Error(`the package for ${target} has ${size} bytes; the limit is ${maxPackageBytes}`);
  return packagePath;
}

/** The package for the machine this runs on, for `npm start` and the suites. */
export async function packageForHere(): Promise<string> {
  const target = `${process.platform}-${process.arch}`;
  return makePackage({ target, folder: ownFolder() }, packagedFiles());
}

/** Packages an extension of the tests' own. */
export async function packageOfTests(name: string, source: string): Promise<string> {
  const packagePath = join(ownFolder(), `${name}.vsix`);
  await vsce(source, ['--out', packagePath, '--skip-license', ...addressFlags(undefined)]);
  return packagePath;
}

/**
 * Where the repository is, so that the page's pictures and links lead there. Where no address is known,
 * `--allow-missing-repository` keeps vsce from asking about it, which would wait for a person, and
 * `--no-rewrite-relative-links` keeps it from refusing the page: its pictures are in the package, where the editor finds them.
 * The manifest has no field for either.
 */
function addressFlags(site: string | undefined): readonly string[] {
  if (site === undefined) return ['--allow-missing-repository', '--no-rewrite-relative-links'];
  return ['--baseContentUrl', `${site}/blob/HEAD`, '--baseImagesUrl', `${site}/raw/HEAD`];
}

/** `--no-dependencies`: the packages of npm are in the bundles. Without it vsce runs npm and packs all of them once more. */
async function vsce(cwd: string, args: readonly string[]): Promise<void> {
  const entry = fileURLToPath(import.meta.resolve('@vscode/vsce/vsce'));
  await promisify(execFile)(process.execPath, [entry, 'package', '--no-dependencies', ...args], { cwd });
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
  readonly inputs: Readonly<Record<string, unknown>>;
  readonly imports: readonly { readonly path: string; readonly kind: string; readonly external?: boolean }[];
}

/** The size of a bundle, in bytes, with everything that it loads immediately. */
function eagerBytes(outputs: Readonly<Record<string, Output>>, path: string, seen: Set<string>): number {
  const output = outputs[path];
  if (!output || seen.has(path)) return 0;
  seen.add(path);
  const eager = output.imports.filter((it) => !it.external && /^(import-statement|require-call)$/.test(it.kind));
  return output.bytes + eager.reduce((sum, it) => sum + eagerBytes(outputs, it.path, seen), 0);
}

export interface Weight {
  readonly path: string;
  readonly bytes: number;
  readonly limit: number;
}

/** The sizes of the built bundles. @throws {Error} if one was not built */
export function weights(): readonly Weight[] {
  const meta = JSON.parse(readFileSync(join(projectRoot, 'dist', 'meta.json'), 'utf8')) as Record<
    string,
    { outputs: Record<string, Output> }
  >;
  const outputs = Object.assign({}, ...Object.values(meta).map((it) => it.outputs)) as Record<string, Output>;
  return Object.entries(budgets).map(([path, limit]) => {
    const built = Object.keys(outputs).find(
      (it) => it === path || (it.startsWith('dist/sidecar/') && path in (outputs[it]?.inputs ?? {})),
    );
    const isLater = path.endsWith('.cjs') && path !== 'dist/window.cjs' && path !== 'dist/shared.cjs';
    const bytes = eagerBytes(outputs, built ?? path, new Set(isLater ? ['dist/shared.cjs'] : []));
    if (bytes === 0) throw new Error(`${path} was not built`);
    return { path, bytes, limit };
  });
}

function checkBudgets(): void {
  const all = weights();
  for (const { path, bytes, limit } of all)
    say(`package: ${path} ${bytes.toLocaleString('en')} of ${limit.toLocaleString('en')} bytes`);
  const over = all.filter(({ bytes, limit }) => bytes > limit).map((it) => it.path);
  if (over.length > 0) throw new Error(`bundles over their budgets: ${over.join(', ')}`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { values } = parseArgs({ options: { site: { type: 'string' } } });
  const site = values.site === undefined ? undefined : readSite(values.site);
  checkBudgets();
  const packaged = packagedFiles();
  const folder = join(projectRoot, 'dist', 'packages');
  for (const target of targets) await makePackage({ target, folder, site }, packaged);
}
