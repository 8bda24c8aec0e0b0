import * as vscode from 'vscode';
import { isWaiting } from '../../../sidecar/protocol/channels/annotations/progress.ts';
import type { Annotation, AnnotationsState } from '../../../sidecar/protocol/channels/annotations/schema.ts';
import type { SessionCatalogue } from '../../client/catalogue.ts';
import { commandIds, contextKeys } from '../../manifest/manifest.ts';

export interface WaitingCommentsDeps {
  readonly catalogue: Pick<SessionCatalogue, 'sessions'>;
  readonly send: (session: string, annotations: readonly Annotation[]) => Promise<void>;
}

/** The comments that were not sent yet, as one review for each session. */
export class WaitingComments implements vscode.Disposable {
  readonly #deps: WaitingCommentsDeps;
  readonly #bySession = new Map<string, readonly Annotation[]>();
  readonly #status = vscode.window.createStatusBarItem('switchboard.comments', vscode.StatusBarAlignment.Left, 7);

  constructor(deps: WaitingCommentsDeps) {
    this.#deps = deps;
    this.#status.name = vscode.l10n.t('Switchboard Comments');
    this.#status.command = commandIds.sendReview;
    this.#status.tooltip = vscode.l10n.t('Send all waiting comments to the agent in one message.');
  }

  dispose(): void {
    this.#status.dispose();
  }

  show(session: string, state: AnnotationsState | undefined): void {
    const waiting = state?.annotations.filter(isWaiting) ?? [];
    if (waiting.length > 0) this.#bySession.set(session, waiting);
    else this.#bySession.delete(session);
    const all = [...this.#bySession.values()].flat().length;
    void vscode.commands.executeCommand('setContext', contextKeys.hasWaitingComments, all > 0);
    this.#status.text = `$(comment-discussion) ${vscode.l10n.t('Send Review ({0})', all)}`;
    if (all > 0) this.#status.show();
    else this.#status.hide();
  }

  countOf(session: string): number {
    return this.#bySession.get(session)?.length ?? 0;
  }

  /** @param session of the comment on which a person asked for it; otherwise asked for where several have some */
  async send(session: string | undefined): Promise<void> {
    const from = session ?? (await this.#pick());
    const waiting = from === undefined ? undefined : this.#bySession.get(from);
    if (from !== undefined && waiting) return this.#deps.send(from, waiting);
    if (this.#bySession.size === 0)
      void vscode.window.showInformationMessage(
        vscode.l10n.t('No comments are waiting to be sent. Add one to a line that an agent changed.'),
      );
  }

  async #pick(): Promise<string | undefined> {
    if (this.#bySession.size <= 1) return this.#bySession.keys().next().value;
    const titleOf = (session: string) => this.#deps.catalogue.sessions.find((it) => it.resource === session)?.title;
    const items = [...this.#bySession].map(([session, { length }]) => ({
      label: titleOf(session) ?? vscode.l10n.t('New session'),
      description: length === 1 ? vscode.l10n.t('1 comment') : vscode.l10n.t('{0} comments', length),
      session,
    }));
    const placeHolder = vscode.l10n.t("Which session's comments do you want to send?");
    return (await vscode.window.showQuickPick(items, { placeHolder, ignoreFocusOut: true }))?.session;
  }
}
