import { removeWhere, setOrClear, upsertBy } from '../../collections.ts';
import type { ChildCustomization, Customization, Enablement, McpServerState } from './customizations.ts';
import type { SessionState } from './schema.ts';

type Entry = Customization | ChildCustomization;

/** Top-level entries only, the whole entry with its children. */
export function setCustomization(state: SessionState, entry: Customization): SessionState {
  return setOrClear(
    state,
    'customizations',
    upsertBy(state.customizations ?? [], entry, (it) => it.id),
  );
}

/** Earlier decisions are replaced as a whole. */
export function toggleCustomization(
  state: SessionState,
  id: string,
  enabled: boolean,
  enablement: readonly Enablement[] = [],
): SessionState {
  const decided = enablement.length > 0 ? [...enablement] : undefined;
  return updateFirst(state, id, (it) => {
    const toggled = it.enabled === enabled ? it : { ...it, enabled };
    return setOrClear(toggled, 'enablement', decided);
  });
}

/** An absent `channel` clears it. An entry that is no MCP server stays as it is. */
export function setMcpServerState(
  state: SessionState,
  id: string,
  serverState: McpServerState,
  channel?: string,
): SessionState {
  return updateFirst(state, id, (it) => {
    if (it.type !== 'mcpServer') return it;
    return setOrClear(setOrClear(it, 'state', serverState), 'channel', channel);
  });
}

/** The top-level entry with its children; else every child with that id. */
export function removeCustomization(state: SessionState, id: string): SessionState {
  const entries = state.customizations;
  if (!entries) return state;
  const kept = removeWhere(entries, (it) => it.id === id);
  if (kept !== entries) return { ...state, customizations: kept };
  const next = entries.map((entry) => {
    if (!('children' in entry) || !entry.children) return entry;
    return setOrClear(
      entry,
      'children',
      removeWhere(entry.children, (it) => it.id === id),
    );
  });
  return next.every((it, at) => it === entries[at]) ? state : { ...state, customizations: next };
}

/** The first match wins: top-level entries, then the children of containers in order. */
function updateFirst(state: SessionState, id: string, update: (entry: Entry) => Entry): SessionState {
  const entries = state.customizations ?? [];
  const top = entries.findIndex((it) => it.id === id);
  // oxlint-disable-next-line typescript/consistent-type-assertions -- update answers the kind it was given
  if (top >= 0) return replaceEntry(state, entries, top, update(entries[top]!) as Customization);
  for (const [at, entry] of entries.entries()) {
    const children = 'children' in entry ? entry.children : undefined;
    const child = children?.findIndex((it) => it.id === id) ?? -1;
    if (!children || child < 0) continue;
    // oxlint-disable-next-line typescript/consistent-type-assertions -- update answers the kind it was given
    const next = update(children[child]!) as ChildCustomization;
    if (next === children[child]) return state;
    // oxlint-disable-next-line typescript/consistent-type-assertions -- only its children differ from the entry
    return replaceEntry(state, entries, at, { ...entry, children: children.with(child, next) } as Customization);
  }
  return state;
}

function replaceEntry(state: SessionState, entries: Customization[], at: number, entry: Customization): SessionState {
  return entry === entries[at] ? state : { ...state, customizations: entries.with(at, entry) };
}
