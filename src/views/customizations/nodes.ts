import type {
  ChildCustomization,
  Customization,
  McpServerState,
} from '../../../sidecar/protocol/channels/session/customizations.ts';
import type { SessionState, SessionSummary } from '../../../sidecar/protocol/channels/session/schema.ts';
import type { TextRange } from '../../../sidecar/protocol/shared.ts';
import { fileName } from '../../client/texts.ts';
import type { Localizer } from '../../platform/localizer.ts';
import { type CustomizationKind, descriptionOf, icons, kindOf, manyOf, newOf, serverState } from './labels.ts';
import { type ShownIcon, shownIcon } from './trustedIcons.ts';

/** One row. */
export interface CustomizationNode {
  readonly kind: 'session' | 'container' | 'child' | 'new' | 'note' | 'addAgent';
  readonly id: string;
  readonly session: string;
  readonly label: string;
  readonly description?: string;
  readonly tooltip?: string;
  readonly icon?: string;
  readonly color?: string;
  /** Of its own, where it may be shown. */
  readonly image?: ShownIcon;
  readonly opens: 'never' | 'closed' | 'open';
  /** The customization that a checkbox turns on and off. */
  readonly toggles?: { readonly id: string; readonly isOn: boolean };
  /** Of an MCP server that is turned on: its id, and whether it runs or is on its way up. */
  readonly server?: { readonly id: string; readonly isUp: boolean };
  /** What a click opens: a file of this machine. */
  readonly file?: { readonly uri: string; readonly range?: TextRange };
  /** Of the row that makes a new one: in which directory. */
  readonly creates?: { readonly directory: string; readonly contents: CustomizationKind };
  /** Made when the row is unfolded. */
  readonly children?: readonly CustomizationNode[];
}
type Container = Exclude<Customization, { type: 'mcpServer' }>;

/**
 * The session whose chat is open, and the newest session of each other set of folders: what customizes sessions is that of
 * their folders. The first row is open.
 */
export function sessionNodes(sessions: readonly SessionSummary[], ofOpenChat: string | undefined): CustomizationNode[] {
  const byAge = sessions.toSorted((a, b) => b.modifiedAt.localeCompare(a.modifiedAt));
  const isOpen = (it: SessionSummary) => it.resource === ofOpenChat;
  const ordered = [...byAge.filter(isOpen), ...byAge.filter((it) => !isOpen(it))];
  const foldersOf = ({ workingDirectories = [] }: SessionSummary) => workingDirectories.toSorted().join(' ');
  const first = new Map<string, SessionSummary>();
  for (const it of ordered) {
    const folders = foldersOf(it);
    if (!first.has(folders)) first.set(folders, it);
  }
  return [...first.values()].map(({ resource, title, workingDirectories = [] }, index) => ({
    kind: 'session',
    id: resource,
    session: resource,
    label: title || resource,
    description: workingDirectories.map((it) => fileName(it)).join(', '),
    icon: 'comment-discussion',
    opens: index === 0 ? 'open' : 'closed',
  }));
}

/** The last row; without a session the empty view offers it. */
export function addAgentNode(l10n: Localizer): CustomizationNode {
  return { kind: 'addAgent', id: 'addAgent', session: '', label: l10n.t('Add Agent…'), icon: 'add', opens: 'never' };
}

/** What customizes a session; `undefined` state: the host has not answered yet. */
export function customizationNodes(
  l10n: Localizer,
  session: string,
  state: SessionState | undefined,
  trustedHosts: readonly string[],
): CustomizationNode[] {
  if (!state) return [note(session, l10n.t('Loading…'))];
  const entries = state.customizations ?? [];
  if (entries.length === 0) return [note(session, l10n.t('This session has no customizations.'))];
  return entries.map((it) =>
    it.type === 'mcpServer'
      ? childNode(l10n, session, it, it.id, trustedHosts)
      : containerNode(l10n, session, it, trustedHosts),
  );
}

function containerNode(
  l10n: Localizer,
  session: string,
  it: Container,
  trustedHosts: readonly string[],
): CustomizationNode {
  const contents = it.type === 'directory' ? kindOf(it.contents) : undefined;
  const makes = newNode(l10n, session, it, contents);
  const load = loadOf(it);
  const image = shownIcon(it.icons, trustedHosts);
  const count = it.children === undefined ? '' : String(it.children.length);
  const what = contents ? manyOf(l10n, contents) : l10n.t('Plugin');
  const { name } = it;
  const [reason = ''] = load.message?.split('\n', 1) ?? [];
  const version = it.type === 'plugin' && it.version !== undefined ? it.version : '';
  return {
    kind: 'container',
    id: `${session} ${it.id}`,
    session,
    label: name,
    description: [what, version, count, reason].filter((it) => it !== '' && it !== name).join(' · '),
    tooltip: load.message ?? it.uri,
    ...(image && load.icon === undefined && { image }),
    icon: load.icon ?? (it.type === 'plugin' ? 'extensions' : 'folder'),
    ...(load.color !== undefined && { color: load.color }),
    opens: makes || (it.children ?? []).length > 0 ? 'closed' : 'never',
    toggles: { id: it.id, isOn: it.enabled },
    get children() {
      const own = (it.children ?? []).map((child) =>
        childNode(l10n, session, child, `${it.id}/${child.id}`, trustedHosts),
      );
      return makes ? [...own, makes] : own;
    },
  };
}

/** The row that makes one more, where the directory may be written. */
function newNode(
  l10n: Localizer,
  session: string,
  it: Container,
  contents: CustomizationKind | undefined,
): CustomizationNode | undefined {
  const label = contents && it.type === 'directory' && it.writable ? newOf(l10n, contents) : undefined;
  if (!contents || label === undefined) return undefined;
  const creates = { directory: it.uri, contents };
  return { kind: 'new', id: `${session} ${it.id} new`, session, label, icon: 'add', opens: 'never', creates };
}

function loadOf({ load }: Container): { icon?: string; color?: string; message?: string } {
  switch (load?.kind) {
    case 'loading':
      return { icon: 'loading~spin' };
    case 'degraded':
      return { icon: 'warning', color: 'list.warningForeground', message: load.message };
    case 'error':
      return { icon: 'error', color: 'list.errorForeground', message: load.message };
    default:
      return {};
  }
}

function childNode(
  l10n: Localizer,
  session: string,
  it: ChildCustomization,
  path: string,
  trustedHosts: readonly string[],
): CustomizationNode {
  const kind = kindOf(it.type);
  const server = it.type === 'mcpServer' ? serverState(l10n, it.state) : undefined;
  const image = shownIcon(it.icons, trustedHosts);
  const description = descriptionOf(l10n, it);
  const refusal = typeof it._meta?.['refused'] === 'string' ? it._meta['refused'] : undefined;
  return {
    kind: 'child',
    id: `${session} ${path}`,
    session,
    label: it.name,
    ...(description !== '' && { description }),
    tooltip: [refusal ?? description, it.uri].filter(Boolean).join('\n'),
    ...(image && { image }),
    icon: server?.icon ?? (kind ? icons[kind] : 'question'),
    ...(server?.color !== undefined && { color: server.color }),
    opens: 'never',
    toggles: { id: it.id, isOn: it.enabled ?? true },
    ...(it.type === 'mcpServer' && it.enabled && { server: { id: it.id, isUp: isUp(it.state) } }),
    ...(it.uri.startsWith('file:') && { file: { uri: it.uri, ...(it.range && { range: it.range }) } }),
  };
}

/** One that waits for a sign-in can be stopped, too. */
function isUp({ kind }: McpServerState): boolean {
  return kind === 'ready' || kind === 'starting' || kind === 'authRequired';
}

function note(session: string, label: string): CustomizationNode {
  return { kind: 'note', id: `${session} note`, session, label, opens: 'never' };
}
