import { annotationsSummary } from '../../protocol/channels/annotations/summary.ts';
import type { ChatSummary } from '../../protocol/channels/chat/schema.ts';
import { CLOUD_META } from '../../protocol/channels/session/cloudMeta.ts';
import type { ChildCustomization, Customization } from '../../protocol/channels/session/customizations.ts';
import { PARKED } from '../../protocol/channels/session/parked.ts';
import { PERMISSION_DIAL, USUAL_DIAL, withDial } from '../../protocol/channels/session/permissionDial.ts';
import { isSandboxed, SANDBOX_META } from '../../protocol/channels/session/sandboxChoice.ts';
import type { SessionChatSummary, SessionState, SessionSummary } from '../../protocol/channels/session/schema.ts';
import { activityOf, status } from '../../protocol/status.ts';
import { SessionUsage } from '../../protocol/usageMeta.ts';
import type { ChannelMetadata, Persistence } from './persistence.ts';

/** A session is one row; its summary stands beside it, so that the list of thousands is read without any session. */
export const sessionPersistence: Persistence<SessionState> = {
  load(storage, uri) {
    const row = storage.sessions.get(uri);
    if (!row) return undefined;
    const { changes, _meta } = JSON.parse(row.summary) as SessionSummary;
    const usage = SessionUsage.safeParse(_meta?.['usage']).data;
    const metadata: ChannelMetadata = {
      createdAt: row.createdAt,
      listed: row.listed,
      ...(changes && { changes }),
      ...(usage && { usage }),
    };
    const state = inherit(JSON.parse(row.body) as SessionState);
    return { state: { annotations: annotationsSummary(uri), ...state }, metadata };
  },
  inherit,

  write(storage, uri, _base, now) {
    const state = now.state;
    const summary = toSessionSummary(uri, state, now.metadata);
    storage.sessions.put({
      uri,
      body: JSON.stringify({
        ...state,
        ...(state.customizations && { customizations: lasting(state.customizations) }),
      }),
      summary: JSON.stringify(summary),
      createdAt: summary.createdAt,
      modifiedAt: summary.modifiedAt,
      listed: now.metadata.listed === true,
      busy: activityOf(state.status) !== status.Idle || state.lifecycle === 'creating',
    });
  },

  remove: (storage, uri) => storage.sessions.remove(uri),
};

/**
 * Whoever was active has gone, or was subscribed and the session would not have left memory. So have its servers. What the
 * agent may do without asking is chosen again (`host.dial.restart`).
 */
function inherit(state: SessionState): SessionState {
  const { config } = state;
  return {
    ...state,
    ...(config?.schema.properties[PERMISSION_DIAL] && { config: withDial(config, USUAL_DIAL) }),
    serverTools: [],
    activeClients: [],
  };
}

const isDecided = ({ enabled, enablement }: Customization | ChildCustomization) =>
  enabled === false || enablement !== undefined;

/** What is found again is not stored; what a person turned off is, and what the agent brought when the session was made. */
function lasting(customizations: readonly Customization[]): Customization[] {
  return customizations.flatMap((it) => {
    if (!('children' in it)) return isDecided(it) || it._meta?.['shipped'] === true ? it : [];
    const { children, load: _load, ...container } = it;
    const off = (children ?? []).filter(isDecided);
    if (off.length > 0) return { ...container, children: off } as Customization;
    return isDecided(it) || it._meta?.['shipped'] === true ? (container as Customization) : [];
  });
}

function toChatEntry({ resource, title, status: bits, origin, interactivity }: ChatSummary): SessionChatSummary {
  return { resource, title, status: bits, ...(origin && { origin }), ...(interactivity && { interactivity }) };
}

/** The catalogue's entry of a session (host.summary.latest, host.summary.directories). */
export function toSessionSummary(uri: string, state: SessionState, metadata: ChannelMetadata): SessionSummary {
  const createdAt = metadata.createdAt ?? '1970-01-01T00:00:00.000Z';
  const { provider, title, activity, project, workingDirectories, annotations } = state;
  // A row shows the session's own worktree and its set-up, its race, a problem, a parked chat, the origin of an import, and a cloud agent.
  const meta = ['git', 'setUp', 'race', 'problem', 'imported', PARKED, CLOUD_META].flatMap((key) => {
    const value = state._meta?.[key];
    return value === undefined ? [] : [[key, value] as [string, unknown]];
  });
  if (metadata.usage) meta.push(['usage', metadata.usage]);
  if (isSandboxed(state.config?.values)) meta.push([SANDBOX_META, state._meta?.[SANDBOX_META] ?? true]);
  return {
    resource: uri,
    provider,
    title,
    status: state.status,
    createdAt,
    modifiedAt: [createdAt, ...state.chats.map((it) => it.modifiedAt)].sort().at(-1)!,
    ...(activity !== undefined && { activity }),
    ...(project && { project }),
    ...(workingDirectories && { workingDirectories }),
    ...(annotations && { annotations }),
    ...(metadata.changes && { changes: metadata.changes }),
    chats: state.chats.map(toChatEntry),
    ...(state.defaultChat !== undefined && { defaultChat: state.defaultChat }),
    ...(meta.length > 0 && { _meta: Object.fromEntries(meta) }),
  };
}
