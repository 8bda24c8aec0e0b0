import { isRecord } from '../platform/isRecord.ts';
import { withoutDefaultModel } from './defaultModel.ts';
import { type Json, mapList, mapMember, textOf } from './json.ts';
import type { View } from './publicClients.ts';
import { isAtLeast } from './publicVersions.ts';

/** A remark of nobody's turn, which only 0.9 knows. */
const NO_TURN = '';
/** The host's largest page: these clients ask for one and show what is on it. */
const ALL_SESSIONS = 1_000;

/** What a client of a version sends with a method, as the host takes it. URIs are the host's already. */
export function toHostParams(method: string, params: Json, view: View): Json {
  switch (method) {
    case 'createSession': {
      const { workingDirectory, ...others } = params;
      const hasOne = typeof workingDirectory === 'string' && params['workingDirectories'] === undefined;
      const several = hasOne ? { ...others, workingDirectories: [workingDirectory] } : params;
      return mapMember(several, 'activeClient', toHostClient);
    }
    case 'completions': {
      // VS Code asks the session, whose chat it shows.
      const chat = view.defaultChats.get(textOf(params, 'channel') ?? '');
      return chat === undefined ? params : { ...params, channel: chat };
    }
    case 'createChat':
      return mapMember(mapMember(params, 'initialMessage', withoutDefaultModel), 'source', (it) => withKind(it, view));
    case 'listSessions':
    case 'root/listSessions':
      return params['limit'] === undefined ? { ...params, limit: ALL_SESSIONS } : params;
    case 'dispatchAction':
      return mapMember(params, 'action', (it) => toHostAction(it, view));
    default:
      return params;
  }
}

export function toHostAction(action: Json, view: View): Json {
  switch (action['type']) {
    case 'session/activeClientSet':
      return mapMember(action, 'activeClient', toHostClient);
    case 'chat/turnStarted':
    case 'chat/pendingMessageSet':
      return mapMember(action, 'message', withoutDefaultModel);
    case 'chat/draftChanged':
      return mapMember(action, 'draft', withoutDefaultModel);
    case 'session/customizationToggled':
      return isAtLeast(view.version, 0, 8, 0) ? withEnabled(action) : action;
    case 'annotations/set':
      return mapMember(action, 'annotation', withTurnId);
    case 'annotations/updated':
      return withTurnId(action);
    default:
      return action;
  }
}

function toHostClient(client: Json): Json {
  return mapList(client, 'customizations', withEnabled);
}

/** Before 0.7, which brought side chats, a source had no kind: every source was a fork. */
function withKind(source: Json, view: View): Json {
  return isAtLeast(view.version, 0, 7, 0) || source['kind'] !== undefined ? source : { kind: 'fork', ...source };
}

/** Keeps who turned it on or off, for newer clients. The decision closest to the session applies. */
function withEnabled(value: Json): Json {
  const { enabled, enablement } = value;
  if (enabled !== undefined) return value;
  const decisions = Array.isArray(enablement) ? enablement.filter(isRecord) : [];
  const of = (kind: string) => decisions.find((it) => it['kind'] === kind);
  const counts = of('session') ?? of('workspace') ?? of('global') ?? decisions[0];
  return { ...value, enabled: counts?.['enabled'] !== false };
}

/** Where a remark comes from stays beside its turn, for whoever reads it the new way. */
function withTurnId(annotation: Json): Json {
  const { origin } = annotation;
  if (!isRecord(origin) || annotation['turnId'] !== undefined) return annotation;
  return { ...annotation, turnId: textOf(origin, 'turnId') ?? NO_TURN };
}
