import { builtInAgents } from '../../../sidecar/protocol/channels/root/builtInAgents.ts';
import type { AgentInfo, SessionModelInfo } from '../../../sidecar/protocol/channels/root/schema.ts';
import { customAgentsOf } from '../../../sidecar/protocol/channels/session/customAgents.ts';
import type { CustomAgentInfo } from '../../../sidecar/protocol/channels/session/customizations.ts';
import { AGENT_DECIDES, dialOf, PERMISSION_DIAL } from '../../../sidecar/protocol/channels/session/permissionDial.ts';
import { isSandboxed, SANDBOX } from '../../../sidecar/protocol/channels/session/sandboxChoice.ts';
import type { SessionState } from '../../../sidecar/protocol/channels/session/schema.ts';
import type { SessionConfigPropertySchema, SessionConfigState } from '../../../sidecar/protocol/configSchemas.ts';
import { dialDoubt } from '../../client/dialState.ts';
import type { Picker, RestoreState } from '../contract/chatModel.ts';
import type { EditorFacts } from './chatDeps.ts';

export interface PickerInput {
  readonly agents: readonly AgentInfo[];
  readonly editor: EditorFacts;
  /** What was chosen in this page, or holds for the session. */
  readonly chosen: RestoreState;
  readonly config: SessionConfigState | undefined;
  /** Absent before there is a session. */
  readonly session?: SessionState | undefined;
  /** The custom agents of the folder in which a new session would work. */
  readonly folderAgents: readonly CustomAgentInfo[];
  /** Ids of the agent's models that this person puts first. */
  readonly favorites: { readonly pinned: readonly string[]; readonly recent: readonly string[] };
  /** Agent and folder are chosen until the first prompt. */
  readonly isNew: boolean;
}

/** Behind the agents: one more, from the registry. No agent has such an id. */
const addAgentChoice = '+';
/** Every folder of the window, for agents that can work in several. */
export const allFolders = '*';

/** What can be chosen in the composer. A choice that is none (one folder, no models) has no picker. */
export function toPickers(input: PickerInput): Picker[] {
  const agent = input.agents.find((it) => it.provider === input.chosen.provider);
  return [
    agentPicker(input),
    folderPicker(input, agent),
    ...optionPickers(input),
    dialPicker(input),
    sandboxPicker(input),
    customAgentPicker(input),
    modelPicker(input, agent),
  ].filter((it) => it !== undefined);
}

function agentPicker({ agents, editor, chosen, isNew }: PickerInput): Picker | undefined {
  if (agents.length === 0) return undefined;
  const canAdd = editor.isTrusted && chosen.host === undefined;
  return {
    id: 'agent',
    title: 'Agent',
    value: chosen.provider ?? '',
    enabled: isNew && (agents.length > 1 || canAdd),
    choices: [
      ...agents.map((it) => ({
        id: it.provider,
        label: it.displayName,
        description: it.description,
        ...(builtInAgents.has(it.provider) && { isBuiltIn: true as const }),
      })),
      ...(canAdd ? [{ id: addAgentChoice, label: 'Add Agent…', adds: true as const }] : []),
    ],
  };
}

function folderPicker({ editor, chosen, isNew }: PickerInput, agent: AgentInfo | undefined): Picker | undefined {
  if (editor.folders.length < 2 || !isNew) return undefined;
  const choices = editor.folders.map((it) => ({ id: it.uri, label: it.name }));
  const canTakeAll = agent?.capabilities?.multipleWorkingDirectories !== undefined;
  return {
    id: 'folder',
    title: 'Folder',
    value: chosen.folder ?? editor.folder ?? '',
    enabled: true,
    choices: canTakeAll ? [...choices, { id: allFolders, label: 'All folders' }] : choices,
  };
}

/** Nobody in particular: the agent as it is. */
const plainAgent = 'default';

/** Those whom a person may choose for a message: of the folder, until those of the session were read. */
function customAgents(
  session: SessionState | undefined,
  ofFolder: readonly CustomAgentInfo[],
): readonly CustomAgentInfo[] {
  const own = customAgentsOf(session?.customizations);
  const isRead = session?.customizations?.every((it) => !('load' in it) || it.load?.kind !== 'loading') === true;
  return own.length > 0 || isRead ? own : ofFolder;
}

/** The URI of the one that is chosen, while it is there. */
export function chosenCustomAgent(
  session: SessionState | undefined,
  ofFolder: readonly CustomAgentInfo[],
  { customAgent }: RestoreState,
): string | undefined {
  return customAgents(session, ofFolder).find((it) => it.uri === customAgent)?.uri;
}

function customAgentPicker({ session, folderAgents, chosen }: PickerInput): Picker | undefined {
  const agents = customAgents(session, folderAgents);
  if (agents.length === 0) return undefined;
  return {
    id: 'customAgent',
    title: 'Custom agent',
    value: agents.find((it) => it.uri === chosen.customAgent)?.uri ?? plainAgent,
    enabled: true,
    choices: [
      { id: plainAgent, label: 'none' },
      ...agents.map(({ uri, name, description }) => ({ id: uri, label: name, ...(description && { description }) })),
    ],
  };
}

/** Those that a person pinned first, then those that they used, then all others in the order of the agent. */
function modelPicker({ chosen, favorites }: PickerInput, agent: AgentInfo | undefined): Picker | undefined {
  const models = agent?.models ?? [];
  if (models.length === 0) return undefined;
  const groups = [...favorites.pinned, ...favorites.recent];
  const isFavorite = (it: SessionModelInfo) => groups.includes(it.id);
  const first = [...new Set(groups)].flatMap((id) => models.find((it) => it.id === id) ?? []);
  const all = [...first, ...models.filter((it) => !isFavorite(it))];
  const usual = models.find((it) => it._meta?.['isDefault'] === true)?.id;
  return {
    id: 'model',
    title: 'Model',
    value: chosen.model ?? usual ?? '',
    enabled: true,
    choices: all.map((it) => {
      const isPinned = favorites.pinned.includes(it.id);
      const group = isPinned ? 'pinned' : isFavorite(it) ? 'recent' : 'others';
      return {
        id: it.id,
        label: it.name,
        ...lockOf(it),
        ...(models.length > 1 && { pin: isPinned ? ('pinned' as const) : ('unpinned' as const) }),
        ...(first.length > 0 && ({ group } as const)),
        ...(it.id === usual && { isDefault: true }),
        ...(it.maxContextWindow !== undefined && { contextTokens: it.maxContextWindow }),
        ...(it.supportsVision && { seesImages: true }),
      };
    }),
  };
}

/** A model that the person may not use is shown, so that nobody looks for it. */
function lockOf({ policyState = 'enabled' }: SessionModelInfo): Pick<Picker['choices'][number], 'locked'> {
  if (policyState === 'enabled') return {};
  return { locked: policyState === 'unconfigured' ? 'notEnabled' : 'notAllowed' };
}

/** A choice of one among a few words. Everything else is in the form. */
function hasPicker(property: SessionConfigPropertySchema): boolean {
  return property.type === 'string' && property.enum !== undefined && property.enumDynamic !== true;
}

/** Whether there is anything that only the form shows. */
export function hasOptions({ agents, chosen, config }: PickerInput): boolean {
  const model = agents.find((it) => it.provider === chosen.provider)?.models.find((it) => it.id === chosen.model);
  return (
    Object.keys(model?.configSchema?.properties ?? {}).length > 0 ||
    Object.values(config?.schema.properties ?? {}).some((it) => !hasPicker(it))
  );
}

/** What the agent may do without asking. It shows what holds in the session, and says where it holds nothing. */
function dialPicker({ config, chosen, session }: PickerInput): Picker | undefined {
  const property = config?.schema.properties[PERMISSION_DIAL];
  if (!config || !property) return undefined;
  const values = session ? config.values : { ...config.values, ...chosen.config };
  const doubt = dialDoubt(config, values, session?._meta);
  return {
    id: `option:${PERMISSION_DIAL}`,
    title: property.title,
    value: dialOf(values),
    enabled: doubt !== 'agentDecides',
    isOwn: true,
    choices: choicesOf(property).map((it) =>
      // Of a host elsewhere only what narrows can be chosen.
      it.id === 'acceptEdits' && chosen.host !== undefined ? { ...it, locked: 'notAllowed' } : it,
    ),
    ...(doubt && { doubt }),
  };
}

/** Whether programs of the session run in a sandbox. It is chosen before the first prompt; after that it is shown only if it is on. */
function sandboxPicker({ config, chosen, session, isNew }: PickerInput): Picker | undefined {
  const property = config?.schema.properties[SANDBOX];
  if (!config || !property) return undefined;
  const isOn = isSandboxed(session ? config.values : { ...config.values, ...chosen.config });
  const canChoose = isNew && session === undefined;
  if (!canChoose && !isOn) return undefined;
  return {
    id: `option:${SANDBOX}`,
    title: property.title,
    value: isOn ? 'on' : 'off',
    enabled: canChoose,
    isOwn: true,
    choices: choicesOf(property),
  };
}

function optionPickers({ config, chosen, isNew }: PickerInput): Picker[] {
  if (!config) return [];
  return Object.entries(config.schema.properties).flatMap(([id, property]) => {
    if (id === PERMISSION_DIAL || id === SANDBOX) return [];
    const choices = choicesOf(property);
    if (choices.length === 0) return [];
    const value = (isNew ? chosen.config?.[id] : undefined) ?? config.values[id] ?? property.default ?? '';
    const canChange = property.readOnly !== true && (isNew || property.sessionMutable === true);
    return [
      {
        id: `option:${id}`,
        title: property.title,
        value: typeof value === 'string' ? value : JSON.stringify(value),
        enabled: canChange,
        choices,
      },
    ];
  });
}

function choicesOf(property: SessionConfigPropertySchema): Picker['choices'] {
  if (!hasPicker(property)) return [];
  return (property.enum ?? []).map((value, index) => {
    const words = property.enumDescriptions?.[index] ?? '';
    const agentDecides = words.startsWith(AGENT_DECIDES);
    const description = agentDecides ? words.slice(AGENT_DECIDES.length) : words;
    return {
      id: String(value),
      label: property.enumLabels?.[index] ?? String(value),
      ...(description && { description }),
      ...(agentDecides && { agentDecides }),
    };
  });
}

/** Choices for another session: what was set for this one stays behind. */
export function withoutSession({ session: _session, config: _config, ...rest }: RestoreState): RestoreState {
  return rest;
}
