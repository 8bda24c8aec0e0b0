import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { type AcpAgent, wellKnown } from '../../agents/acp/wellKnown.ts';
import { Fault } from '../../platform/faults.ts';
import { newTemporaryName } from '../../platform/temporaryName.ts';
import { AgentKind } from '../../protocol/channels/root/agentRegistry.ts';
import { treeDigest } from './treeDigest.ts';

const Installed = z.object({
  id: z.string().regex(/^[a-z][a-z0-9-]*$/),
  name: z.string().min(1),
  version: z.string(),
  kind: AgentKind,
  /** One path segment below the agent's own. */
  folder: z.string().regex(/^[^/\\]+$/),
  /** From the folder. */
  command: z.string().min(1),
  args: z.array(z.string()),
  env: z.record(z.string(), z.string()),
  source: z.string(),
  /** Of what was downloaded, as it was published or as it arrived. Absent: of several files, of which only `digest` says something. */
  hash: z.string().exactOptional(),
  /** Of the folder. */
  digest: z.string(),
  sizeBytes: z.number(),
  installedAt: z.string(),
  /** `name@version` of packages whose install scripts did not run. */
  scripts: z.array(z.string()),
  description: z.string().default(''),
  icon: z.string().exactOptional(),
});
export type Installed = z.infer<typeof Installed>;

const Removed = z.object({ id: z.string(), name: z.string(), at: z.string() });
const Record = z.object({ agents: z.array(Installed), removed: z.array(Removed).default([]) });
type Record = z.infer<typeof Record>;

/** So many of what was removed are remembered, for the sessions that are left. */
const MOST_REMOVED = 200;
export const ADD_COMMAND = 'Switchboard: Add Agent…';

/** The agents that were installed from a registry, and where. What is not in this list is not installed, whatever lies there. */
export class InstalledAgents {
  /** Absolute. */
  readonly folder: string;
  readonly #file: string;
  #record: Record;
  readonly #verified = new Map<string, Promise<void>>();

  constructor(dataDir: string) {
    this.folder = join(dataDir, 'agents');
    this.#file = join(this.folder, 'installed.json');
    this.#record = read(this.#file);
  }

  get all(): readonly Installed[] {
    return this.#record.agents;
  }
  find(id: string): Installed | undefined {
    return this.all.find((it) => it.id === id);
  }
  folderOf({ id, folder }: Pick<Installed, 'id' | 'folder'>): string {
    return join(this.folder, id, folder);
  }

  put(agent: Installed): void {
    const others = this.all.filter((it) => it.id !== agent.id);
    this.#write({ agents: [...others, agent], removed: this.#record.removed.filter((it) => it.id !== agent.id) });
  }
  remove({ id, name }: Installed, at: string): void {
    const removed = [...this.#record.removed.filter((it) => it.id !== id), { id, name, at }].slice(-MOST_REMOVED);
    this.#write({ agents: this.all.filter((it) => it.id !== id), removed });
  }

  /** Why an agent that sessions have is not there, where that is known. */
  whyMissing(id: string): Fault | undefined {
    const removed = this.#record.removed.find((it) => it.id === id);
    if (!removed) return undefined;
    const when = removed.at.slice(0, 10);
    return new Fault(
      'provider_not_found',
      `${removed.name} was removed on ${when}. To continue this session, install it again with the ${ADD_COMMAND} command. To use another agent, start a new session.`,
      { data: { agent: id } },
    );
  }

  /** As providers get them. */
  get agents(): readonly AcpAgent[] {
    return this.all.map((it) => this.#toAgent(it));
  }

  #toAgent(it: Installed): AcpAgent {
    const { id, name, args, env, icon } = it;
    const known = wellKnown.find((other) => other.registryId === id);
    return {
      id,
      displayName: name,
      command: join(this.folderOf(it), it.command),
      args,
      env: variablesOf(id),
      variables: env,
      ...(known?.defaults && { defaults: known.defaults }),
      ...(icon !== undefined && { icon }),
      ...(known?.login && { login: known.login }),
      ...(known?.usageLimit && { usageLimit: known.usageLimit }),
      install: `Install it again with the ${ADD_COMMAND} command.`,
      verify: () => this.#verify(it),
    };
  }

  /** Once in the life of a host: what runs is what was installed. @throws {Fault} `unavailable` */
  #verify(it: Installed): Promise<void> {
    const folder = this.folderOf(it);
    const known = this.#verified.get(folder);
    if (known) return known;
    const verifying = check(folder, it).catch((thrown: unknown) => {
      this.#verified.delete(folder);
      throw thrown;
    });
    this.#verified.set(folder, verifying);
    return verifying;
  }

  #write(record: Record): void {
    mkdirSync(this.folder, { recursive: true, mode: 0o700 });
    const fresh = newTemporaryName(`${this.#file}.`);
    writeFileSync(fresh, `${JSON.stringify(record, undefined, 2)}\n`, { mode: 0o600 });
    renameSync(fresh, this.#file);
    this.#record = record;
    this.#verified.clear();
  }
}

/** Names of the variables of the environment that an installed agent gets: those that are known of it, and no others. */
export function variablesOf(id: string): readonly string[] {
  return wellKnown.find((it) => it.registryId === id)?.env ?? [];
}

async function check(folder: string, { name, digest }: Installed): Promise<void> {
  const now = await treeDigest(folder).catch((cause: unknown) => {
    throw new Fault(
      'command_missing',
      `The files for ${name} are missing. Install it again with the ${ADD_COMMAND} command.`,
      { cause },
    );
  });
  if (now.digest === digest) return;
  throw new Fault(
    'unavailable',
    `${name} was not started because its files changed after it was installed. If you did not change them, remove ${name} and install it again with the ${ADD_COMMAND} command.`,
  );
}

function read(file: string): Record {
  try {
    return Record.safeParse(JSON.parse(readFileSync(file, 'utf8'))).data ?? { agents: [], removed: [] };
  } catch {
    return { agents: [], removed: [] }; // nothing was installed yet, or the list is damaged: then nothing is
  }
}
