import * as vscode from 'vscode';
import { cloudOf } from '../../../sidecar/protocol/channels/session/cloudMeta.ts';
import type { SessionSummary } from '../../../sidecar/protocol/channels/session/schema.ts';
import { hasFlag, status } from '../../../sidecar/protocol/status.ts';
import type { Hosts } from '../../client/hosts.ts';
import { ownBranch } from '../../client/ownTree.ts';
import { rootStateOf } from '../../client/rootState.ts';
import type { KeptArrangement } from './arrangement.ts';
import { focusedRow, type RowsView } from './focusedRow.ts';
import { passes } from './groups.ts';
import type { SessionsNode } from './nodes.ts';
import type { RowCommand } from './sessionsModule.ts';
import type { SessionFiles } from './transfer/sessionFiles.ts';

interface RowCommandsDeps {
  readonly hosts: Pick<Hosts, 'get' | 'of' | 'all' | 'dispatch' | 'request'>;
  readonly view: RowsView;
  readonly arrangement: KeptArrangement;
  readonly files: Pick<SessionFiles, 'export' | 'copyAll' | 'continue' | 'continueIn'>;
}

/** What is done with one session or with several: those of the row, of the selection, or of a group. */
export class RowCommands {
  readonly #deps: RowCommandsDeps;

  constructor(deps: RowCommandsDeps) {
    this.#deps = deps;
  }

  async run(command: RowCommand, row: unknown, rows: unknown): Promise<void> {
    const { hosts, arrangement, files } = this.#deps;
    const uris = () => this.#meant(row, rows).then((all) => all.map((it) => it.resource));
    switch (command) {
      case 'session.rename':
        return this.#rename(await this.#meant(row, undefined));
      case 'session.delete':
        return this.#delete(await this.#meant(row, rows));
      case 'session.archive':
      case 'session.unarchive':
        return this.#archive(await uris(), command === 'session.archive');
      case 'session.markRead':
      case 'session.markUnread':
        return this.#markRead(await uris(), command === 'session.markRead');
      case 'session.pin':
      case 'session.unpin':
        return arrangement.pin(await uris(), command === 'session.pin');
      case 'session.export':
        return this.#withNamed(row, (it) => files.export(it));
      case 'session.copyAll':
        return this.#withNamed(row, (it) => files.copyAll(it));
      case 'session.continue':
        return this.#withNamed(row, (it) => files.continue(it));
      case 'session.continueIn':
        return this.#withNamed(row, (it) => files.continueIn(it));
      case 'session.mergeWorktree':
        return this.#merge(await this.#meant(row, undefined));
      case 'sessions.archiveAll':
        return this.#archive(
          this.#ofGroup(row)
            .filter((it) => !hasFlag(it.status, status.IsArchived))
            .map((it) => it.resource),
          true,
        );
      case 'sessions.markAllRead': {
        const all = isGroup(row) ? this.#ofGroup(row) : hosts.all.flatMap((it) => it.catalogue.sessions);
        const isMeant = (it: SessionSummary) =>
          !hasFlag(it.status, status.IsRead) && passes(it, arrangement.now.filter);
        return this.#markRead(
          all.filter(isMeant).map((it) => it.resource),
          true,
        );
      }
    }
  }

  /** The row with the rest of the selection when it is part of it; for a key, which names no row, the row with the focus. */
  async #meant(row: unknown, rows: unknown): Promise<readonly SessionSummary[]> {
    const { view, hosts } = this.#deps;
    const [first, all] = row === undefined ? await focusedRow(view) : [row, rows];
    const nodes: readonly unknown[] = Array.isArray(all) && all.includes(first) ? all : [first];
    return [...new Set(nodes.flatMap((it) => sessionOf(it) ?? []))].flatMap((it) => hosts.get(it) ?? []);
  }

  /** Without a row the files choose the session. A row whose session is gone is not taken for another one. */
  async #withNamed(row: unknown, work: (sessions: readonly SessionSummary[]) => Promise<void>): Promise<void> {
    const named = row === undefined ? [] : await this.#meant(row, undefined);
    if (named.length > 0 || sessionOf(row) === undefined) return work(named);
    void vscode.window.showWarningMessage(vscode.l10n.t('This session was deleted.'));
  }

  #ofGroup(row: unknown): readonly SessionSummary[] {
    return isGroup(row) ? row.members.flatMap((it) => this.#deps.hosts.get(it.resource) ?? []) : [];
  }

  #archive(uris: readonly string[], isArchived: boolean): void {
    for (const it of uris) this.#deps.hosts.dispatch(it, { type: 'session/isArchivedChanged', isArchived });
  }

  #markRead(uris: readonly string[], isRead: boolean): void {
    for (const it of uris) this.#deps.hosts.dispatch(it, { type: 'session/isReadChanged', isRead });
  }

  async #rename([session]: readonly SessionSummary[]): Promise<void> {
    if (!session) return;
    const { resource, title } = session;
    const typed = await vscode.window.showInputBox({
      title: vscode.l10n.t('Rename Session'),
      value: title,
      ignoreFocusOut: true,
      validateInput: (it) => (it.trim() === '' ? vscode.l10n.t('Enter a name for the session.') : undefined),
    });
    if (typed !== undefined && typed.trim() !== title)
      this.#deps.hosts.dispatch(resource, { type: 'session/titleChanged', title: typed.trim() });
  }

  async #merge([session]: readonly SessionSummary[]): Promise<void> {
    if (!session) return;
    const branch = ownBranch(session);
    if (branch === undefined) return;
    const go = vscode.l10n.t('Merge');
    const detail = vscode.l10n.t(
      "The commits on this branch will be merged into the branch that is checked out in the repository. The repository's Git hooks will run.",
    );
    const picked = await vscode.window.showWarningMessage(
      vscode.l10n.t('Merge {0}?', branch),
      { modal: true, detail },
      go,
    );
    if (picked !== go) return;
    const merged = await this.#deps.hosts.request('x-switchboard/mergeWorktree', { channel: session.resource });
    void vscode.window.showInformationMessage(
      merged.commits === 1
        ? vscode.l10n.t('1 commit was merged into {0}.', merged.into)
        : vscode.l10n.t('{0} commits were merged into {1}.', merged.commits, merged.into),
    );
  }

  /** Its agent has the conversation too, and can delete it. */
  #keepsConversation({ resource, provider, _meta }: SessionSummary): boolean {
    if (cloudOf(_meta)?.status === 'DELETED') return false;
    const agents = rootStateOf(this.#deps.hosts.of(resource).client)?.agents ?? [];
    return agents.find((it) => it.provider === provider)?.capabilities?.conversations?.deletes === true;
  }

  async #delete(sessions: readonly SessionSummary[]): Promise<void> {
    const [first] = sessions;
    if (!first) return;
    const { hosts, arrangement } = this.#deps;
    const go = vscode.l10n.t('Delete');
    const kept = sessions.filter((it) => this.#keepsConversation(it));
    const everywhere = kept.some((it) => cloudOf(it._meta))
      ? vscode.l10n.t('Delete with Cloud Agent')
      : vscode.l10n.t('Delete Also in Agent');
    const stays = vscode.l10n.t('The agent keeps its conversation, unless you delete it there as well.');
    const isOne = sessions.length === 1;
    const picked = await vscode.window.showWarningMessage(
      isOne
        ? vscode.l10n.t('Delete "{0}"?', first.title || vscode.l10n.t('New session'))
        : vscode.l10n.t('Delete {0} sessions?', sessions.length),
      {
        modal: true,
        detail: [
          isOne
            ? vscode.l10n.t(
                'The transcript and the undo history will be deleted, and any running turn will be stopped. Files will not change.',
              )
            : vscode.l10n.t(
                'Their transcripts and undo histories will be deleted, and running turns will be stopped. Files will not change.',
              ),
          ...(kept.length > 0 ? [stays] : []),
        ].join(' '),
      },
      go,
      ...(kept.length > 0 ? [everywhere] : []),
    );
    if (picked === undefined) return;
    if (picked === everywhere)
      for (const { resource: channel } of kept) await hosts.request('x-switchboard/conversationDelete', { channel });
    const uris = sessions.map((it) => it.resource);
    const results = await Promise.allSettled(uris.map((it) => hosts.request('disposeSession', { channel: it })));
    const gone = uris.filter((_, at) => results[at]?.status === 'fulfilled');
    if (gone.some((it) => arrangement.now.pinned.has(it))) await arrangement.pin(gone, false);
    const refused = results.find((it) => it.status === 'rejected');
    if (refused) throw refused.reason;
  }
}

type Group = Extract<SessionsNode, { kind: 'group' }>;

function isGroup(row: unknown): row is Group {
  return typeof row === 'object' && row !== null && 'kind' in row && row.kind === 'group' && 'members' in row;
}

/** The session of a row. */
function sessionOf(row: unknown): string | undefined {
  if (typeof row === 'string') return row;
  if (typeof row !== 'object' || row === null || !('kind' in row) || row.kind !== 'session') return undefined;
  return 'id' in row && typeof row.id === 'string' ? row.id : undefined;
}
