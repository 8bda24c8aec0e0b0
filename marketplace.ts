/** What a package is judged by: read from the checkout, or made up by a test. */
export interface Listing {
  readonly manifest: Manifest;
  readonly files: readonly ListedFile[];
  /** The text of the page that the Marketplace shows. */
  readonly page: string;
  readonly changelog: string;
  readonly icon: Uint8Array;
  /** The version of VS Code that the code is compiled against. */
  readonly typesVersion: string;
}

export interface ListedFile {
  readonly path: string;
  readonly bytes: number;
}

/** What the Marketplace reads of package.json. */
export interface Manifest {
  readonly name: string;
  readonly publisher: string;
  readonly displayName: string;
  readonly description: string;
  readonly version: string;
  readonly license?: string;
  readonly icon?: string;
  readonly pricing?: string;
  readonly categories: readonly string[];
  readonly keywords: readonly string[];
  readonly engines: { readonly vscode: string };
  readonly galleryBanner?: { readonly color: string; readonly theme: string };
  readonly enabledApiProposals?: readonly string[];
}

/** Each file is found, opened and unpacked by itself, on every computer. */
const MAX_FILES = 110;
/** Less than this is not worth a file: it belongs into the one that loads it. */
const LEAST_BYTES = 1_000;
const ICON_PIXELS = 256;
const MAX_KEYWORDS = 30;
const MAX_NAME_CHARACTERS = 30;
const MAX_DESCRIPTION_CHARACTERS = 200;

/** Those that the Marketplace has pages for; it refuses any other. */
const categories = new Set([
  'AI',
  'Azure',
  'Chat',
  'Data Science',
  'Debuggers',
  'Education',
  'Extension Packs',
  'Formatters',
  'Keymaps',
  'Language Packs',
  'Linters',
  'Machine Learning',
  'Notebooks',
  'Other',
  'Programming Languages',
  'SCM Providers',
  'Snippets',
  'Testing',
  'Themes',
  'Visualization',
]);

/** What the Marketplace would refuse or show badly, and what our own limits forbid; empty when the package may go out. */
export function problemsOf(listing: Listing): readonly string[] {
  return [...manifestProblems(listing), ...pageProblems(listing), ...fileProblems(listing.files)];
}

function manifestProblems({ manifest, files, changelog, icon, typesVersion }: Listing): string[] {
  const { name, publisher, displayName, description, version, engines, galleryBanner } = manifest;
  const unknown = manifest.categories.filter((it) => !categories.has(it));
  const checks: readonly (readonly [boolean, string])[] = [
    [/^[a-z0-9][a-z0-9-]*$/.test(name), `the name "${name}" is not in lowercase letters, digits, and hyphens`],
    [/^[a-z0-9][a-z0-9-]*$/i.test(publisher), `the publisher "${publisher}" is not an identifier`],
    [
      isWithin(displayName, MAX_NAME_CHARACTERS),
      `the display name does not have 1 to ${MAX_NAME_CHARACTERS} characters`,
    ],
    [
      isWithin(description, MAX_DESCRIPTION_CHARACTERS),
      `the description does not have 1 to ${MAX_DESCRIPTION_CHARACTERS} characters`,
    ],
    [/^\d+\.\d+\.\d+$/.test(version), `the version ${version} is not three numbers`],
    [changelog.split('\n').includes(`## ${version}`), `CHANGELOG.md has no entry for ${version}`],
    [Boolean(manifest.license), 'the manifest names no license'],
    [['Free', 'Trial'].includes(manifest.pricing ?? ''), 'the pricing is neither "Free" nor "Trial"'],
    [manifest.categories.length > 0, 'the manifest has no category'],
    [unknown.length === 0, `the Marketplace does not have the categories ${unknown.join(', ')}`],
    [new Set(manifest.keywords).size === manifest.keywords.length, 'a keyword is listed twice'],
    [isWithin(manifest.keywords, MAX_KEYWORDS), `the manifest does not have 1 to ${MAX_KEYWORDS} keywords`],
    [/^#[0-9a-f]{6}$/i.test(galleryBanner?.color ?? ''), 'the color of the banner is not of the form #rrggbb'],
    [['dark', 'light'].includes(galleryBanner?.theme ?? ''), 'the theme of the banner is neither "dark" nor "light"'],
    [
      engines.vscode === `^${typesVersion}`,
      `engines.vscode is ${engines.vscode}, but the code is compiled against ${typesVersion}`,
    ],
    [manifest.enabledApiProposals === undefined, 'the manifest asks for proposed API, which the Marketplace refuses'],
    [files.some((it) => it.path === manifest.icon), `the icon ${manifest.icon} is not in the package`],
    [isSquarePng(icon, ICON_PIXELS), `the icon is not a PNG of ${ICON_PIXELS} by ${ICON_PIXELS} pixels`],
  ];
  return checks.filter(([holds]) => !holds).map(([, problem]) => problem);
}

/** Pictures come with the package, or over HTTPS; the Marketplace shows no SVG of its own accord. */
function pageProblems({ page, files }: Listing): string[] {
  const pictures = [...page.matchAll(/!\[[^\]]*\]\(([^)\s]+)/g)].map((it) => it[1] as string);
  const isThere = (it: string) => it.startsWith('https://') || files.some(({ path }) => path === it);
  return [
    ...pictures.filter((it) => !isThere(it)).map((it) => `the picture ${it} of the page is not in the package`),
    ...pictures.filter((it) => it.endsWith('.svg')).map((it) => `the picture ${it} of the page is an SVG`),
    ...(/<\w+[^>]*>/.test(page) ? ['the page has HTML, which the Marketplace removes'] : []),
  ];
}

function fileProblems(files: readonly ListedFile[]): string[] {
  const small = files.filter((it) => it.bytes < LEAST_BYTES && !maySmall(it.path));
  return [
    ...(files.length > MAX_FILES ? [`the package has ${files.length} files; the limit is ${MAX_FILES}`] : []),
    ...small.map((it) => `${it.path} has ${it.bytes} bytes; files of code have at least ${LEAST_BYTES}`),
  ];
}

/** Icons and texts are as small as they are, and the native module is not ours. */
function maySmall(path: string): boolean {
  return /\.(?:svg|png|md|txt)$|^LICENSE$/.test(path) || path.startsWith('dist/native/');
}

function isWithin({ length }: { readonly length: number }, most: number): boolean {
  return length > 0 && length <= most;
}

function isSquarePng(bytes: Uint8Array, pixels: number): boolean {
  const view = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (view.length < 24 || view.toString('latin1', 1, 4) !== 'PNG') return false;
  return view.readUInt32BE(16) === pixels && view.readUInt32BE(20) === pixels;
}
