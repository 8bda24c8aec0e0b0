import { isRecord } from '../platform/isRecord.ts';
import { type Json, mapList, mapMember } from './json.ts';
import type { View } from './publicClients.ts';
import { isAtLeast } from './publicVersions.ts';
import {
  toEnablement,
  toPublicActiveClient,
  toPublicAgent,
  toPublicAnnotation,
  toPublicChangeset,
  toPublicChat,
  toPublicClaim,
  toPublicCustomization,
  toPublicTerminal,
} from './toPublicState.ts';
import { toErrorPart, toPublicTurn } from './toPublicTurns.ts';

type Change = (action: Json, view: View, channel: string) => Json | undefined;

/** One row for each action that looks different to some version. `undefined`: that version has no such thing. */
const changes: Readonly<Record<string, Change>> = {
  'root/agentsChanged': (action, view) => mapList(action, 'agents', (it) => toPublicAgent(it, view)),
  'root/terminalsChanged': (action, view) => mapList(action, 'terminals', (it) => toPublicTerminal(it, view)),
  'session/chatAdded': (action, view) => mapMember(action, 'summary', (it) => toPublicChat(it, view)),
  'session/chatUpdated': (action, view) => mapMember(action, 'changes', (it) => toPublicChat(it, view)),
  'session/activeClientSet': (action, view) =>
    mapMember(action, 'activeClient', (it) => toPublicActiveClient(it, view)),
  'session/inputNeededSet': (action, view) => {
    const { request } = action;
    const isLater = !isAtLeast(view.version, 0, 6, 0) && isRecord(request) && request['kind'] === 'toolAuthentication';
    return isLater ? undefined : action;
  },
  'session/customizationsChanged': (action, view) =>
    mapList(action, 'customizations', (it) => toPublicCustomization(it, view)),
  'session/customizationUpdated': (action, view) =>
    mapMember(action, 'customization', (it) => toPublicCustomization(it, view)),
  'session/customizationToggled': (action, view) =>
    isAtLeast(view.version, 0, 8, 0) && action['enablement'] === undefined
      ? { ...action, ...toEnablement(action['enabled'] !== false) }
      : action,
  'chat/error': (action, view) => {
    const { error, ...others } = action;
    return isAtLeast(view.version, 0, 9, 0) && error !== undefined ? { ...others, part: toErrorPart(error) } : action;
  },
  'chat/turnsLoaded': (action, view) => mapList(action, 'turns', (it) => toPublicTurn(it, view)),
  'changeset/statusChanged': toPublicChangeset,
  'terminal/claimed': (action, view) => mapMember(action, 'claim', (it) => toPublicClaim(it, view)),
  'annotations/set': (action, view, channel) =>
    mapMember(action, 'annotation', (it) => toPublicAnnotation(it, channel, view)),
  'annotations/updated': (action, view, channel) => toPublicAnnotation(action, channel, view),
};

/** An action of the host in the shape of the client's version; `undefined` where that version has none. */
export function toPublicAction(channel: string, action: Json, view: View): Json | undefined {
  const { type } = action;
  const change = typeof type === 'string' && Object.hasOwn(changes, type) ? changes[type] : undefined;
  return change ? change(action, view, channel) : action;
}
