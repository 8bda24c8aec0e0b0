import { findCommand } from '../../platform/children/findCommand.ts';
import type { AgentKind, RegistryAgent } from '../../protocol/channels/root/agentRegistry.ts';
import type { BinaryTarget, Platform, RegistryEntry } from './entry.ts';

export interface Machine {
  readonly platform: NodeJS.Platform;
  readonly arch: string;
  /** Of the window that asks: its PATH says whether npm and uv are there. */
  readonly env: Readonly<Record<string, string>>;
}

/** One way to install an agent. */
export type Distribution =
  | {
      readonly kind: 'npm';
      readonly package: string;
      readonly args: readonly string[];
      readonly env: Variables;
      readonly tool: string;
    }
  | {
      readonly kind: 'uv';
      readonly package: string;
      readonly args: readonly string[];
      readonly env: Variables;
      readonly tool: string;
    }
  | ({ readonly kind: 'binary' } & BinaryTarget);
type Variables = Readonly<Record<string, string>>;

const systems: Partial<Record<NodeJS.Platform, string>> = { darwin: 'darwin', linux: 'linux', win32: 'windows' };
const processors: Readonly<Record<string, string>> = { x64: 'x86_64', arm64: 'aarch64' };

/**
 * The way that works on this machine: npm first, whose packages are checked against what was published; then an archive,
 * which needs no other program; then uv.
 */
export function distributionFor(
  { distribution }: RegistryEntry,
  machine: Machine,
): Distribution | NonNullable<RegistryAgent['blocked']> {
  const { npx, uvx, binary } = distribution;
  const npm = npx && findCommand('npm', machine.env, machine.platform);
  if (npx && npm !== undefined) return { kind: 'npm', ...npx, tool: npm };
  const target = binary?.[`${systems[machine.platform]}-${processors[machine.arch]}` as Platform];
  if (target) return { kind: 'binary', ...target };
  const uv = uvx && findCommand('uv', machine.env, machine.platform);
  if (uvx && uv !== undefined) return { kind: 'uv', ...uvx, tool: uv };
  return npx ? 'npmMissing' : uvx ? 'uvMissing' : 'platform';
}

/** How the registry says that the agent is started, as one line. */
export function registryCommand(
  { distribution }: RegistryEntry,
  chosen: AgentKind | undefined,
  platform?: BinaryTarget,
): string {
  const { npx, uvx, binary } = distribution;
  if (npx && (chosen === 'npm' || chosen === undefined)) return line(npx.env, ['npx', npx.package, ...npx.args]);
  if (chosen === 'binary' && platform) return line(platform.env, [platform.cmd, ...platform.args]);
  if (uvx) return line(uvx.env, ['uvx', uvx.package, ...uvx.args]);
  const [first] = Object.values(binary ?? {});
  return first ? line(first.env, [first.cmd, ...first.args]) : '';
}

/** A command as a person would type it into a POSIX shell. */
export function line(env: Variables, words: readonly string[]): string {
  return [...Object.entries(env).map(([name, value]) => `${name}=${quoted(value)}`), ...words.map(quoted)].join(' ');
}
function quoted(word: string): string {
  return /^[\w@%+=:,./~^-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
