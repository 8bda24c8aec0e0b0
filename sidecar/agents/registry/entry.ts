import * as z from 'zod';
import { isRecord } from '../../platform/isRecord.ts';
import { shownText } from '../../platform/shownText.ts';
import { firstIssue } from '../../protocol/building.ts';
import { hidesCharacters } from '../../protocol/visibleText.ts';

/** The longest list that is read. */
export const MOST_REGISTRY_BYTES = 8 * 1024 * 1024;
const MOST_AGENTS = 1_000;
/** The IDs of the runbooks and of the built-in agent. */
const RESERVED: readonly string[] = ['runbook', 'coder'];

const Words = (most: number) => z.string().transform((it) => shownText(it, most).replace(/\s+/g, ' ').trim());
/** What is run is what a person saw: nothing in it may hide. */
const Exact = z
  .string()
  .max(4_096)
  .refine((it) => !hidesCharacters(it) && !/[\n\t]/.test(it), 'must not contain hidden characters');
const Args = z.array(Exact).max(64).default([]);
const Env = z
  .record(z.string().regex(/^[A-Za-z_]\w*$/, 'must be the name of an environment variable'), Exact)
  .default({});
const version = String.raw`\d+\.\d+\.\d+(?:-[0-9A-Za-z.-]+)?(?:\+[0-9A-Za-z.-]+)?`;

const NpmPackage = Exact.regex(
  new RegExp(`^(?:@[a-z0-9~][a-z0-9._~-]*/)?[a-z0-9~][a-z0-9._~-]*@${version}$`),
  'must be the name of an npm package with an exact version',
);
const PythonPackage = Exact.regex(
  /^[A-Za-z0-9][A-Za-z0-9._-]*(?:\[[A-Za-z0-9,._-]+\])?(?:==|@)\d[0-9A-Za-z.!+-]*$/,
  'must be the name of a Python package with an exact version',
);
const Address = Exact.refine(isAddress, 'must be an https URL. http is allowed only for this machine');
const RelativePath = Exact.transform((it) => it.replaceAll('\\', '/').replace(/^(?:\.\/)+/, '')).refine(
  (it) => it !== '' && !/^[A-Za-z]:|^\//.test(it) && !it.split('/').some((part) => part === '..' || part === ''),
  'must be a path inside the archive',
);

const BinaryTarget = z.object({
  archive: Address,
  cmd: RelativePath,
  args: Args,
  env: Env,
  sha256: z
    .string()
    .regex(/^[0-9a-fA-F]{64}$/, 'must be a SHA-256 in hexadecimal')
    .exactOptional(),
});
export type BinaryTarget = z.infer<typeof BinaryTarget>;
const OptionalTarget = BinaryTarget.exactOptional();
const Binary = z.object({
  'darwin-aarch64': OptionalTarget,
  'darwin-x86_64': OptionalTarget,
  'linux-aarch64': OptionalTarget,
  'linux-x86_64': OptionalTarget,
  'windows-aarch64': OptionalTarget,
  'windows-x86_64': OptionalTarget,
});
export type Platform = keyof z.infer<typeof Binary>;

/** An entry in the format of the public ACP registry. What it does not describe is dropped. */
export const RegistryEntry = z.object({
  id: z
    .string()
    .max(64)
    .regex(/^[a-z][a-z0-9-]*$/, 'must contain only lowercase letters, digits, and hyphens')
    .refine((it) => !RESERVED.includes(it), 'is reserved'),
  name: Words(100).pipe(z.string().min(1)),
  version: Exact.min(1).max(64),
  description: Words(400).default(''),
  authors: z.array(Words(100)).max(32).default([]),
  license: Words(100).exactOptional(),
  icon: z
    .string()
    .max(64 * 1024)
    .exactOptional(),
  distribution: z
    .object({
      npx: z.object({ package: NpmPackage, args: Args, env: Env }).exactOptional(),
      uvx: z.object({ package: PythonPackage, args: Args, env: Env }).exactOptional(),
      binary: Binary.exactOptional(),
    })
    .refine((it) => it.npx || it.uvx || it.binary, 'must be npx, uvx, or binary'),
});
export type RegistryEntry = z.infer<typeof RegistryEntry>;

export interface ReadRegistry {
  readonly entries: readonly RegistryEntry[];
  readonly leftOut: readonly { readonly name: string; readonly reason: string }[];
}

/** What one file says. An entry that does not fit is left out and named. @returns undefined: it is no registry at all */
export function readRegistry(text: string): ReadRegistry | undefined {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!isRecord(json) || !Array.isArray(json['agents'])) return undefined;
  const entries = new Map<string, RegistryEntry>();
  const leftOut: { name: string; reason: string }[] = [];
  const all: readonly unknown[] = json['agents'];
  for (const [at, raw] of all.slice(0, MOST_AGENTS).entries()) {
    const parsed = RegistryEntry.safeParse(raw);
    if (!parsed.success) leftOut.push({ name: nameOf(raw, at), reason: firstIssue(parsed.error) });
    else if (entries.has(parsed.data.id)) leftOut.push({ name: nameOf(raw, at), reason: 'id: is used twice' });
    else entries.set(parsed.data.id, parsed.data);
  }
  if (all.length > MOST_AGENTS)
    leftOut.push({ name: `#${MOST_AGENTS + 1}`, reason: `only the first ${MOST_AGENTS} entries are read` });
  return { entries: [...entries.values()], leftOut };
}

function nameOf(raw: unknown, at: number): string {
  const id = isRecord(raw) && typeof raw['id'] === 'string' ? shownText(raw['id'], 64) : '';
  return id === '' ? `#${at + 1}` : id;
}

/** https; http only for programs of this machine. Without a password: it would be kept and shown. */
export function isAddress(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, username, password } = new URL(text);
  if (username !== '' || password !== '') return false;
  return protocol === 'https:' || (protocol === 'http:' && isOwnMachine(text));
}
export function isOwnMachine(address: string): boolean {
  return ['localhost', '127.0.0.1', '[::1]'].includes(new URL(address).hostname);
}
