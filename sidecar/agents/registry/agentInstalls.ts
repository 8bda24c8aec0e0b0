import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Children } from '../../platform/children/children.ts';
import { findCommand } from '../../platform/children/findCommand.ts';
import { Fault } from '../../platform/faults.ts';
import type { Runtime } from '../../platform/runtime.ts';
import type {
  AgentOffer,
  InstalledAgentInfo,
  RegistryAgent,
  RegistryAnswer,
} from '../../protocol/channels/root/agentRegistry.ts';
import type { WindowInfo } from '../../protocol/window.ts';
import { type Distribution, distributionFor, line, registryCommand } from './distribution.ts';
import type { RegistryEntry } from './entry.ts';
import { type Installed, type InstalledAgents, variablesOf } from './installedAgents.ts';
import { installBinary, previewBinary } from './installers/binary.ts';
import type { Arrived, InstallContext, Preview } from './installers/installer.ts';
import { installNpm, previewNpm, runNpmScripts } from './installers/npm.ts';
import { installUv, previewUv } from './installers/uv.ts';
import { type KnownRegistry, PUBLIC_REGISTRY, Registry } from './registry.ts';
import { treeDigest } from './treeDigest.ts';

export interface AgentInstallsDeps extends Pick<Runtime, 'clock' | 'timers' | 'newId'> {
  readonly installed: InstalledAgents;
  readonly children: Pick<Children, 'spawn'>;
  /** How many sessions an agent works in right now. */
  readonly working: (agent: string) => number;
  /** Ends what runs of an agent and does not work. */
  readonly letGo: (agent: string) => Promise<void>;
  /** Other agents are installed than before. */
  readonly changed: () => void;
}

type Window = Pick<WindowInfo, 'env' | 'agents' | 'agentRegistry'>;
type Phases = InstallContext['progress'];

/** What was offered to a person, until it is taken or something else is offered. */
interface Offered {
  readonly entry: RegistryEntry;
  readonly distribution: Distribution;
  readonly preview: Preview;
  readonly icon: string | undefined;
  /** One path segment. */
  readonly folder: string;
}
const MOST_OFFERS = 50;

/** Installs, updates, and removes agents of a registry, in a folder of the host's own and nowhere else. */
export class AgentInstalls {
  readonly #deps: AgentInstallsDeps;
  readonly #registry: Registry;
  readonly #offers = new Map<string, Offered>();
  /** By agent. */
  readonly #busy = new Set<string>();

  constructor(deps: AgentInstallsDeps) {
    this.#deps = deps;
    this.#registry = new Registry({ ...deps, folder: deps.installed.folder });
  }

  /** Everything that can be added, and everything that was. */
  async list(window: Window, signal: AbortSignal): Promise<RegistryAnswer> {
    const { entries, leftOut, icons, origin, address, date, problem } = await this.#read(window, signal);
    const { installed } = this.#deps;
    const unlisted = installed.all.filter((it) => !entries.some(({ id }) => id === it.id));
    return {
      items: [
        ...entries.map((it) => this.#row(it, window, icons[it.id])),
        ...unlisted.map((it) => this.#unlistedRow(it, window)),
      ],
      leftOut: [...leftOut],
      origin,
      address,
      date,
      ...(problem !== undefined && { problem }),
    };
  }

  /** What exactly would be done. @throws {Fault} `not_found`, `unavailable` */
  async offer(id: string, window: Window, signal: AbortSignal): Promise<AgentOffer> {
    const { entries, icons } = await this.#read(window, signal);
    const entry = entries.find((it) => it.id === id);
    if (!entry) throw new Fault('not_found', 'This agent is not in the registry.');
    const distribution = distributionFor(entry, machineOf(window));
    if (typeof distribution === 'string') throw new Fault('unavailable', blockedTexts[distribution]);
    const { installed, newId } = this.#deps;
    const preview = await this.#withWork(signal, window, (context) => previewOf(distribution, context));
    const token = newId();
    const folder = `${entry.version.replace(/[^0-9A-Za-z.+-]/g, '_')}-${token.slice(0, 8)}`;
    const [oldest] = this.#offers.keys();
    if (oldest !== undefined && this.#offers.size >= MOST_OFFERS) this.#offers.delete(oldest);
    this.#offers.set(token, { entry, distribution, preview, folder, icon: icons[id] });
    const path = installed.folderOf({ id, folder });
    const { kind, args, env } = distribution;
    const { steps, source, command, sizeBytes, hash } = preview;
    return {
      id,
      name: entry.name,
      version: entry.version,
      kind,
      steps: [...steps],
      command: line(env, [join(path, command), ...args]),
      source,
      folder: path,
      ...(sizeBytes !== undefined && { sizeBytes }),
      ...(hash !== undefined && { hash }),
      variables: [...variablesOf(id)],
      token,
    };
  }

  /**
   * Takes an offer, in place of the version that is there. Nothing is left of one that fails or is cancelled.
   * @throws {Fault} `conflict`, `unavailable`, `not_found` for an offer that is not known any more
   */
  async install(token: string, window: Window, progress: Phases, signal: AbortSignal): Promise<InstalledAgentInfo> {
    const offered = this.#offers.get(token);
    if (!offered) throw new Fault('not_found', 'This installation request has expired. Select the agent again.');
    const { entry, distribution, preview, folder, icon } = offered;
    const { id, name, version, description } = entry;
    return this.#alone(id, async () => {
      const { installed, clock } = this.#deps;
      const path = installed.folderOf({ id, folder });
      const before = installed.find(id);
      try {
        await mkdir(path, { recursive: true, mode: 0o700 });
        const arrived = await this.#withWork(signal, window, (work) =>
          arrive(distribution, path, preview, { ...work, progress }),
        );
        progress('verify');
        const { digest, bytes } = await treeDigest(path, signal);
        signal.throwIfAborted();
        installed.put({
          ...{ id, name, version, folder, description, digest, sizeBytes: bytes },
          kind: distribution.kind,
          args: [...distribution.args],
          env: { ...distribution.env },
          source: preview.source,
          installedAt: clock.now(),
          ...arrived,
          ...(icon !== undefined && { icon }),
        });
      } catch (thrown) {
        await this.#discard(path, id);
        throw thrown;
      }
      this.#offers.delete(token);
      this.#deps.changed();
      if (before) await this.#retire(before);
      return this.#infoOf(installed.find(id)!);
    });
  }

  /** Runs the install scripts of these packages of an installed agent. @throws {Fault} `not_found`, `unavailable` */
  async runScripts(
    { id, packages }: { readonly id: string; readonly packages: readonly string[] },
    window: Window,
    progress: Phases,
    signal: AbortSignal,
  ): Promise<InstalledAgentInfo> {
    return this.#alone(id, async () => {
      const { installed } = this.#deps;
      const agent = this.#find(id);
      if (!packages.every((it) => agent.scripts.includes(it)))
        throw new Fault('invalid_params', 'packages: at least one has no install script left to run');
      const npm = findCommand('npm', window.env);
      if (npm === undefined) throw new Fault('unavailable', blockedTexts.npmMissing);
      const folder = installed.folderOf(agent);
      await this.#deps.letGo(id);
      await this.#withWork(signal, window, (work) => runNpmScripts(npm, { folder, packages }, { ...work, progress }));
      progress('verify');
      const { digest, bytes } = await treeDigest(folder, signal);
      const scripts = agent.scripts.filter((it) => !packages.includes(it));
      installed.put({ ...agent, digest, sizeBytes: bytes, scripts });
      this.#deps.changed();
      return this.#infoOf(this.#find(id));
    });
  }

  /** Takes an agent away with its folder. @throws {Fault} `turn_in_progress`, `not_found` */
  async remove(id: string): Promise<void> {
    await this.#alone(id, async () => {
      const agent = this.#find(id);
      const count = this.#deps.working(id);
      if (count > 0)
        throw new Fault(
          'turn_in_progress',
          `${agent.name} is working in ${count === 1 ? '1 session' : `${count} sessions`}. Stop it there before you remove it.`,
        );
      this.#deps.installed.remove(agent, this.#deps.clock.now());
      this.#deps.changed();
      await this.#deps.letGo(id);
      await rm(join(this.#deps.installed.folder, id), { recursive: true, force: true });
    });
  }

  /** Takes away what an earlier host left behind: installs that did not end, and versions that were still in use. */
  async sweep(): Promise<void> {
    const { folder, all } = this.#deps.installed;
    const kept = new Set(all.map((it) => join(it.id, it.folder)));
    for (const { name } of (await entriesOf(folder)).filter((it) => it.isDirectory())) {
      const versions = await entriesOf(join(folder, name));
      for (const it of versions)
        if (!kept.has(join(name, it.name))) await rm(join(folder, name, it.name), { recursive: true, force: true });
      if (!versions.some((it) => kept.has(join(name, it.name))))
        await rm(join(folder, name), { recursive: true, force: true });
    }
  }

  #read({ agentRegistry, env }: Window, signal: AbortSignal): Promise<KnownRegistry> {
    return this.#registry.read(agentRegistry ?? PUBLIC_REGISTRY, env, signal);
  }

  #find(id: string): Installed {
    const agent = this.#deps.installed.find(id);
    if (!agent) throw new Fault('not_found', 'This agent is not installed.');
    return agent;
  }

  #row(entry: RegistryEntry, window: Window, icon: string | undefined): RegistryAgent {
    const { id, name, version, description, authors, license } = entry;
    const way = distributionFor(entry, machineOf(window));
    const installed = this.#deps.installed.find(id);
    const isThere = typeof way !== 'string';
    return {
      ...{ id, name, version, description, authors },
      ...(license !== undefined && { license }),
      ...(icon !== undefined && { icon }),
      command: registryCommand(
        entry,
        isThere ? way.kind : undefined,
        isThere && way.kind === 'binary' ? way : undefined,
      ),
      ...(isThere ? { kind: way.kind } : { blocked: way }),
      ...(installed && { installed: this.#infoOf(installed) }),
      canUpdate: installed !== undefined && installed.version !== version && isThere,
      isShadowed: isShadowed(window, id),
    };
  }

  #unlistedRow(it: Installed, window: Window): RegistryAgent {
    const { id, name, version, description, icon } = it;
    return {
      ...{ id, name, version, description },
      authors: [],
      ...(icon !== undefined && { icon }),
      command: line(it.env, [it.command, ...it.args]),
      blocked: 'unlisted',
      installed: this.#infoOf(it),
      canUpdate: false,
      isShadowed: isShadowed(window, id),
    };
  }

  #infoOf(it: Installed): InstalledAgentInfo {
    const { version, kind, installedAt, sizeBytes, scripts } = it;
    return { version, kind, installedAt, sizeBytes, scripts, folder: this.#deps.installed.folderOf(it) };
  }

  async #alone<T>(id: string, work: () => Promise<T>): Promise<T> {
    if (this.#busy.has(id))
      throw new Fault('conflict', 'This agent is being installed or removed. Wait until that is done.');
    this.#busy.add(id);
    try {
      return await work();
    } finally {
      this.#busy.delete(id);
    }
  }

  /** With a folder for what is needed meanwhile, which is gone afterwards. */
  async #withWork<T>(signal: AbortSignal, { env }: Window, work: (context: InstallContext) => Promise<T>): Promise<T> {
    const { children, timers, installed, newId } = this.#deps;
    const path = join(installed.folder, `.work-${newId()}`);
    await mkdir(path, { recursive: true, mode: 0o700 });
    try {
      return await work({ children, timers, signal, env, work: path, progress: () => undefined });
    } finally {
      await rm(path, { recursive: true, force: true });
    }
  }

  /** Sessions in which the old version works keep it until the host starts again. */
  async #retire(before: Installed): Promise<void> {
    if (this.#deps.working(before.id) > 0) return;
    await this.#deps.letGo(before.id);
    await rm(this.#deps.installed.folderOf(before), { recursive: true, force: true });
  }

  async #discard(path: string, id: string): Promise<void> {
    await rm(path, { recursive: true, force: true });
    if (!this.#deps.installed.find(id))
      await rm(join(this.#deps.installed.folder, id), { recursive: true, force: true });
  }
}

/** What a person can do about an agent that cannot be installed here. */
const blockedTexts: Readonly<Record<NonNullable<RegistryAgent['blocked']>, string>> = {
  npmMissing:
    'This agent is installed with npm, which was not found. Install Node.js, which includes npm, and then reload the window.',
  uvMissing:
    'This agent is installed with uv, which was not found. Install uv (https://docs.astral.sh/uv), and then reload the window.',
  platform: 'This agent is not available for this operating system and processor.',
  unlisted: 'This agent is no longer in the registry.',
};

function previewOf(way: Distribution, context: InstallContext): Promise<Preview> {
  if (way.kind === 'npm') return previewNpm(way, context);
  return way.kind === 'uv' ? Promise.resolve(previewUv(way)) : previewBinary(way, context);
}

function arrive(way: Distribution, path: string, { hash }: Preview, context: InstallContext): Promise<Arrived> {
  if (way.kind === 'npm') return installNpm(way, path, hash, context);
  return way.kind === 'uv' ? installUv(way, path, context) : installBinary(way, path, context);
}

function machineOf({ env }: Window) {
  return { platform: process.platform, arch: process.arch, env };
}
function isShadowed({ agents }: Window, id: string): boolean {
  return agents.some((it) => it.id === id);
}
async function entriesOf(folder: string) {
  return readdir(folder, { withFileTypes: true }).catch(() => []);
}
