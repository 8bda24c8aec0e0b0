import type { SessionSummary } from '../../protocol/channels/session/schema.ts';
import { hasFlag, status } from '../../protocol/status.ts';
import type { Approvals, PermissionRule } from '../../protocol/window.ts';
import { decidingNow } from '../agents/modes/askingModes.ts';
import type { Store } from '../state/store.ts';
import type { HostStorage } from '../storage/hostStorage.ts';
import { readRules } from './grantedRules.ts';

/** Sessions whose modes are looked at: the newest ones. */
const SESSIONS = 100;

/** What `decidePermission` answers where no rule says otherwise. */
const defaults: Approvals['defaults'] = [
  { effect: 'allow', what: 'read' },
  { effect: 'allow', what: 'search' },
  { effect: 'allow', what: 'think' },
  { effect: 'ask', what: 'danger' },
];
const untrusted: Approvals['defaults'] = [{ effect: 'deny', what: 'untrusted' }];

/**
 * Why something runs, is asked or is denied for a client, from every source.
 * @param window the client's, or that of whoever serves; absent for a client without one
 * @param granted to programs by a person, beside the rules that are stored
 */
export function approvalsOf(
  { storage, store }: { readonly storage: HostStorage; readonly store: Store },
  window: { readonly trusted: boolean; readonly rules: readonly PermissionRule[] } | undefined,
  granted: readonly PermissionRule[],
): Approvals {
  return {
    items: [...readRules(storage), ...granted, ...(window?.rules ?? [])].map((it) => named(storage, it)),
    defaults: [...(window?.trusted ? defaults : untrusted)],
    modes: storage.sessions.page(SESSIONS).flatMap(({ uri, summary }) => {
      const { status: bits, title } = JSON.parse(summary) as SessionSummary;
      return hasFlag(bits, status.IsArchived) ? [] : decidingModes(store, uri, title);
    }),
  };
}

/** A rule of one session says which one that is. */
function named(storage: HostStorage, rule: PermissionRule): Approvals['items'][number] {
  const row = rule.session === undefined ? undefined : storage.sessions.get(rule.session);
  return row ? { ...rule, sessionTitle: (JSON.parse(row.summary) as SessionSummary).title } : rule;
}

/** The values of a session's options with which its agent decides by itself. */
function decidingModes(store: Store, session: string, title: string): Approvals['modes'] {
  const { config } = store.state('session', session) ?? {};
  if (!config) return [];
  return decidingNow(config).map((id) => {
    const property = config.schema.properties[id];
    const value = config.values[id];
    const listed: readonly unknown[] = property?.enum ?? [];
    const label = value === true ? property?.title : property?.enumLabels?.[listed.indexOf(value)];
    return { session, title, mode: label ?? String(value) };
  });
}
