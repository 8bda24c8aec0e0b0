import type { SessionSummary } from '../../protocol/channels/session/schema.ts';
import { sameJson } from '../../protocol/collections.ts';
import { parseSessionUri, schemes } from '../../protocol/uris.ts';
import type { EffectDeps } from '../context/effectDeps.ts';
import { toSessionSummary } from '../state/sessionPersistence.ts';
import type { Store, Written } from '../state/store.ts';
import { isOfKind } from '../state/typedChannels.ts';

/** Summaries change often while a turn runs: they are sent at most this often. */
const DEBOUNCE_MS = 100;

/** Notifies the subscribers of the root of sessions that enter the catalogue or change in it (host.event.session-added). */
export class SummaryNotices {
  readonly #deps: Pick<EffectDeps, 'store' | 'notifyRoot' | 'timers'>;
  readonly #onListed: () => void;
  readonly #notified = new Map<string, SessionSummary>();
  readonly #unlisted = new Set<string>();
  readonly #waiting = new Set<string>();

  /** @param onListed a session entered the list */
  constructor(deps: Pick<EffectDeps, 'store' | 'notifyRoot' | 'timers'>, onListed: () => void) {
    this.#deps = deps;
    this.#onListed = onListed;
  }

  onCommitted({ envelope }: Written): void {
    const session = sessionOf(this.#deps.store, envelope.channel);
    if (session === undefined) return;
    const listed = this.#deps.store.written(session)?.metadata.listed === true;
    if (!listed) {
      this.#unlisted.add(session);
      return;
    }
    if (this.#unlisted.delete(session)) return this.#add(session);
    // A session that was loaded in this very tick: its first turn is the only way into the list.
    if (envelope.action.type === 'chat/turnStarted' && !this.#notified.has(session)) return this.#add(session);
    if (envelope.channel.startsWith(`${schemes.session}:`)) this.changed(session);
  }

  /** The summary may be another one now. */
  changed(session: string): void {
    if (this.#waiting.has(session)) return;
    this.#waiting.add(session);
    this.#deps.timers.after(DEBOUNCE_MS, () => this.#notify(session));
  }

  /** The session is gone. @param keptTree URI of its worktree, where that was kept for what is in it */
  removed(session: string, keptTree?: string): void {
    this.#notified.delete(session);
    this.#unlisted.delete(session);
    this.#deps.notifyRoot('root/sessionRemoved', {
      session,
      ...(keptTree !== undefined && { _meta: { worktreeKept: keptTree } }),
    });
  }

  #add(session: string): void {
    const summary = this.#summaryOf(session);
    if (!summary) return;
    this.#notified.set(session, summary);
    this.#deps.notifyRoot('root/sessionAdded', { summary });
    this.#onListed();
  }

  #notify(session: string): void {
    this.#waiting.delete(session);
    const summary = this.#summaryOf(session);
    if (!summary) return;
    const changes = changesBetween(this.#notified.get(session), summary);
    this.#notified.set(session, summary);
    if (Object.keys(changes).length > 0) this.#deps.notifyRoot('root/sessionSummaryChanged', { session, changes });
  }

  #summaryOf(session: string): SessionSummary | undefined {
    const written = this.#deps.store.written(session);
    return isOfKind('session', session, written)
      ? toSessionSummary(session, written.state, written.metadata)
      : undefined;
  }
}

function sessionOf(store: Store, channel: string): string | undefined {
  return store.metadata(channel)?.session ?? (parseSessionUri(channel) === undefined ? undefined : channel);
}

/** `null` clears a member that is gone: an absent one would mean no change. */
function changesBetween(before: SessionSummary | undefined, after: SessionSummary): Record<string, unknown> {
  const { resource: _resource, provider: _provider, createdAt: _createdAt, ...now } = after;
  const changes: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(now)) {
    if (!sameJson(value, before?.[key as keyof SessionSummary])) changes[key] = value;
  }
  for (const key of ['activity', 'changes', 'project', 'annotations', 'defaultChat', '_meta'] as const) {
    if (before?.[key] !== undefined && after[key] === undefined) changes[key] = null;
  }
  return changes;
}
