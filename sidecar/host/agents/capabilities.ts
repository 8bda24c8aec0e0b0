import { Fault } from '../../platform/faults.ts';
import type { AgentCapabilities } from '../../protocol/channels/root/schema.ts';
import type { ChatSource } from '../../protocol/commands.ts';
import type { EffectDeps } from '../context/effectDeps.ts';

/** What an agent says that it can do, as every client sees it. */
export function capabilitiesOf({ store }: Pick<EffectDeps, 'store'>, provider: string): AgentCapabilities {
  const { agents } = store.root;
  return agents.find((it) => it.provider === provider)?.capabilities ?? {};
}

/**
 * Refuses another chat, a fork or a side chat of an agent that does not declare it (host.rule.multiple-chats,
 * host.rule.fork, host.rule.side-chat).
 * @param field the parameter that named the source
 * @throws {Fault} `invalid_params`
 */
export function requireMoreChats(
  { multipleChats }: AgentCapabilities,
  source?: ChatSource,
  field = 'source.kind',
): void {
  if (!multipleChats) throw new Fault('invalid_params', 'chat: this agent supports only one chat per session');
  if (source && multipleChats[source.kind] !== true)
    throw new Fault('invalid_params', `${field}: ${source.kind} is not supported by this agent`);
}

export interface ChosenFolders {
  readonly workingDirectories: string[];
  readonly primaryWorkingDirectory?: string;
}

/**
 * Rules 4 and 5: of several folders an agent that works in one gets the first, and one that needs a primary folder gets the
 * first where nobody chose. For any other agent there is no primary.
 * @throws {Fault} `invalid_params` for a primary folder that is none of them
 */
export function chooseFolders(
  can: AgentCapabilities,
  given: { readonly workingDirectories?: readonly string[]; readonly primaryWorkingDirectory?: string },
): ChosenFolders {
  const all = [...new Set(given.workingDirectories ?? [])];
  const { primaryWorkingDirectory: wanted } = given;
  if (wanted !== undefined && !all.includes(wanted))
    throw new Fault('invalid_params', 'primaryWorkingDirectory: must be one of workingDirectories');
  const workingDirectories = can.multipleWorkingDirectories ? all : all.slice(0, 1);
  return { workingDirectories, ...primaryOf(can, all, wanted) };
}

/** The primary folder of a new chat; without `requiresPrimary` all folders are equal (host.rule.primary). */
export function primaryOf(
  { multipleWorkingDirectories }: AgentCapabilities,
  folders: readonly string[],
  wanted: string | undefined,
): { readonly primaryWorkingDirectory?: string } {
  const primary = wanted ?? folders[0];
  return multipleWorkingDirectories?.requiresPrimary && primary !== undefined
    ? { primaryWorkingDirectory: primary }
    : {};
}

/** The folder where an agent starts comes first. */
export function inOrder({
  workingDirectories = [],
  primaryWorkingDirectory: primary,
}: {
  readonly workingDirectories?: readonly string[] | undefined;
  readonly primaryWorkingDirectory?: string | undefined;
}): readonly string[] {
  return [...workingDirectories.filter((it) => it === primary), ...workingDirectories.filter((it) => it !== primary)];
}
