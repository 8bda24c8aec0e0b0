import type { ChildCustomization, Customization, Enablement } from '../../protocol/channels/session/customizations.ts';

/** What a person turned on or off, by the id of the customization. */
export type Toggles = ReadonlyMap<string, boolean>;
/** The decisions that led to it, if a client stated them. */
export type Decisions = ReadonlyMap<string, readonly Enablement[]>;

/** The entry as the person wants it. */
export function withToggles<C extends Customization>(entry: C, toggles: Toggles): C {
  const own = toggles.get(entry.id);
  const next = own === undefined || own === entry.enabled ? entry : { ...entry, enabled: own };
  if (!('children' in next) || !next.children) return next;
  return { ...next, children: next.children.map((it: ChildCustomization) => toggled(it, toggles)) };
}

function toggled(child: ChildCustomization, toggles: Toggles): ChildCustomization {
  const own = toggles.get(child.id);
  return own === undefined || own === (child.enabled ?? true) ? child : { ...child, enabled: own };
}

/** The entry with the decisions about it and its children. */
export function withDecisions<C extends Customization>(entry: C, decisions: Decisions): C {
  if (decisions.size === 0) return entry;
  const next = decided(entry, decisions);
  if (!('children' in next) || !next.children) return next;
  return { ...next, children: next.children.map((it: ChildCustomization) => decided(it, decisions)) };
}

function decided<E extends Customization | ChildCustomization>(entry: E, decisions: Decisions): E {
  const enablement = decisions.get(entry.id);
  return enablement ? { ...entry, enablement: [...enablement] } : entry;
}

/** The decisions in a list, as they were stored. */
export function decisionsIn(entries: readonly Customization[] | undefined): Map<string, readonly Enablement[]> {
  const all = (entries ?? []).flatMap((it) => [it, ...(('children' in it ? it.children : undefined) ?? [])]);
  return new Map(all.flatMap(({ id, enablement }) => (enablement ? [[id, enablement] as const] : [])));
}

/** What is turned off in a list, as it was stored. */
export function togglesIn(entries: readonly Customization[] | undefined): Map<string, boolean> {
  const off = new Map<string, boolean>();
  for (const entry of entries ?? []) {
    if (entry.enabled === false) off.set(entry.id, false);
    for (const it of ('children' in entry ? entry.children : undefined) ?? []) {
      if (it.enabled === false) off.set(it.id, false);
    }
  }
  return off;
}
