import type { Timers } from '../../../platform/timers.ts';
import type { ChangesetFile } from '../../../protocol/channels/changeset/schema.ts';
import { type ChangesView, parseChangesView, sessionUri, turnChangesetUri } from '../../../protocol/uris.ts';
import type { Store } from '../../state/store.ts';
import type { Git } from '../git/git.ts';
import type { ChangesetLedger, ChangesetStore } from '../ledger/changesetLedger.ts';
import { patchOperation } from '../ledger/viewOperations.ts';
import type { ContentStore } from '../snapshots/contentStore.ts';
import { compareTurns } from './compareTurns.ts';
import { UncommittedView } from './uncommittedView.ts';

export interface ViewsDeps {
  readonly git: Git;
  readonly store: ChangesetStore & Pick<Store, 'remove'>;
  readonly content: ContentStore;
  readonly remember: (session: string, sha: string, size: number) => void;
  readonly ledger: (session: string, channel: string) => ChangesetLedger;
  /** In the order of their beginning. */
  readonly turnsOf: (session: string) => readonly string[];
  readonly foldersOf: (session: string) => Promise<readonly string[]>;
  readonly isWatched: (channel: string) => boolean;
  /** Runs `work` after `delayMs`; answers what stops it. */
  readonly timers: Pick<Timers, 'after'>;
  readonly report: (thrown: unknown) => void;
}

/** A view that is followed while somebody looks. */
export interface View {
  refresh(): void;
  close(): void;
}

/** Changesets that are made when somebody looks: what git has not, and what two turns differ in. */
export class Views {
  readonly #deps: ViewsDeps;
  readonly #open = new Map<string, View>();

  constructor(deps: ViewsDeps) {
    this.#deps = deps;
  }

  /** Makes the channel where what it names is there. */
  ensureChannel(channel: string): void {
    const view = parseChangesView(channel);
    const { store, ledger } = this.#deps;
    if (!view || store.has(channel) || !store.has(sessionUri(view.sessionUuid))) return;
    if (view.kind === 'compare') {
      const known = [view.original, view.modified].every((it) => store.has(turnChangesetUri(view.sessionUuid, it)));
      if (!known) return;
    }
    ledger(sessionUri(view.sessionUuid), channel).createView();
  }

  /** Somebody looks. Programs that a repository may name run for those who trust it only. */
  look(channel: string, isTrusted: boolean): void {
    const view = parseChangesView(channel);
    if (!view || !this.#deps.store.has(channel)) return;
    if (!this.#deps.isWatched(channel)) return this.#letGo(channel); // whoever looked left while this was loaded
    if (view.kind === 'uncommitted' && !isTrusted && !this.#open.has(channel)) return this.#refuse(view, channel);
    if (!this.#open.has(channel)) this.#open.set(channel, this.#follow(view, channel));
    this.#open.get(channel)?.refresh();
  }

  /** Something moved in the folders of a session. */
  moved(session: string): void {
    for (const [channel, view] of this.#open)
      if (sessionUri(parseChangesView(channel)?.sessionUuid ?? '') === session) view.refresh();
  }

  /** Lets go of what nobody looks at any more. */
  sweep(): void {
    for (const channel of [...this.#open.keys()])
      if (!this.#deps.store.has(channel) || !this.#deps.isWatched(channel)) this.#letGo(channel);
  }

  close(): void {
    for (const view of this.#open.values()) view.close();
    this.#open.clear();
  }

  /** A comparison is made anew when it is asked for. */
  #letGo(channel: string): void {
    this.#open.get(channel)?.close();
    this.#open.delete(channel);
    if (parseChangesView(channel)?.kind === 'compare') this.#deps.store.remove(channel);
  }

  #refuse({ sessionUuid }: ChangesView, channel: string): void {
    const error = { errorType: 'notTrusted', message: 'Trust this folder to see uncommitted changes.' };
    const ledger = this.#deps.ledger(sessionUri(sessionUuid), channel);
    ledger.commit({ type: 'changeset/statusChanged', status: 'error', error });
  }

  #follow(view: ChangesView, channel: string): View {
    const session = sessionUri(view.sessionUuid);
    const ledger = this.#deps.ledger(session, channel);
    if (view.kind === 'uncommitted') return new UncommittedView(this.#deps, session, ledger);
    const refresh = async () => {
      const { original, modified } = view;
      const turns = this.#deps.turnsOf(session);
      const changes = compareTurns(turns, original, modified, (it) => this.#filesOf(session, view.sessionUuid, it));
      await ledger.replace(changes);
      ledger.offerOperations([patchOperation(changes.length > 0)]);
      ledger.setStatus('ready');
    };
    const later = () =>
      void refresh().catch((thrown: unknown) => this.#deps.store.has(channel) && this.#deps.report(thrown));
    return { refresh: later, close: () => undefined };
  }

  #filesOf(session: string, uuid: string, turnId: string): readonly ChangesetFile[] {
    return this.#deps.ledger(session, turnChangesetUri(uuid, turnId)).state.files;
  }
}
