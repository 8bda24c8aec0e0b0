import * as vscode from 'vscode';
import type { FileEdit } from '../../../sidecar/protocol/shared.ts';
import { visibleText } from '../../../sidecar/protocol/visibleText.ts';
import type { PendingRequest } from '../../client/attention.ts';
import { confirmationFacts, decide } from '../../client/confirmations.ts';
import { contextKeys } from '../../manifest/manifest.ts';
import { previewSides } from '../diffs.ts';
import { activeUri } from './fileReview.ts';
import type { ReviewDeps } from './reviewModule.ts';

type PreviewsDeps = Pick<ReviewDeps, 'attention' | 'port' | 'hostOf'>;

/** Edits that wait for approval, answered in the title of the diff that shows them. */
export class Previews implements vscode.Disposable {
  readonly #deps: PreviewsDeps;
  readonly #stop: vscode.Disposable;
  #uris = '[]';

  constructor(deps: PreviewsDeps) {
    this.#deps = deps;
    this.#stop = vscode.Disposable.from({ dispose: deps.attention.onDidChange(() => this.#show()).dispose });
    this.#show();
  }

  dispose(): void {
    this.#stop.dispose();
  }

  /** Whether a person sees one of its edits now. */
  isPreviewed(pending: PendingRequest): boolean {
    const uris = this.#urisOf(pending);
    return vscode.window.tabGroups.all.some(({ activeTab }) => {
      const uri = activeTab?.input instanceof vscode.TabInputTextDiff ? activeTab.input.modified.toString() : '';
      return uris.includes(uri);
    });
  }

  /**
   * A title hands no one-time id to its commands, and the URIs of open editors are known to every extension: a person
   * confirms in a dialog (security.foreign-answers).
   */
  async answer(option: 'allow-once' | 'deny', argument: unknown): Promise<void> {
    const uri = argument instanceof vscode.Uri ? argument : activeUri();
    const shown = uri && this.#at(uri);
    if (!shown) return showAnswered();
    if (!(await isConfirmed(shown, option))) return;
    const pending = this.#deps.attention.find(shown.key);
    if (pending?.request.kind !== 'toolConfirmation') return showAnswered();
    this.#deps.port.dispatch(pending.request.chat, decide(pending.request, { option }));
    await close(uri);
  }

  #at(uri: vscode.Uri): PendingRequest | undefined {
    const wanted = uri.toString();
    return this.#deps.attention.pending.find((it) => this.#urisOf(it).includes(wanted));
  }

  #urisOf({ session, request }: PendingRequest): string[] {
    const host = this.#deps.hostOf(session.resource);
    return editsOf(request).map((it) => previewSides(it, host)[1].toString());
  }

  #show(): void {
    const uris = this.#deps.attention.pending.flatMap((it) => this.#urisOf(it));
    const text = JSON.stringify(uris);
    if (text === this.#uris) return;
    this.#uris = text;
    void vscode.commands.executeCommand('setContext', contextKeys.waitingEdits, uris);
  }
}

function editsOf(request: PendingRequest['request']): readonly FileEdit[] {
  if (request.kind !== 'toolConfirmation' || request.toolCall.status !== 'pending-confirmation') return [];
  return request.toolCall.edits?.items ?? [];
}

async function isConfirmed({ request, session }: PendingRequest, option: 'allow-once' | 'deny'): Promise<boolean> {
  if (request.kind !== 'toolConfirmation') return false;
  const isAllow = option === 'allow-once';
  const button = isAllow ? vscode.l10n.t('Allow Once') : vscode.l10n.t('Deny');
  const picked = await vscode.window.showWarningMessage(
    isAllow ? vscode.l10n.t('Allow this edit?') : vscode.l10n.t('Deny this edit?'),
    { modal: true, detail: [confirmationFacts(request).subject, visibleText(session.title)].join('\n\n') },
    button,
  );
  return picked === button;
}

/** What was proposed has been decided: the file itself shows what came of it. */
async function close(uri: vscode.Uri): Promise<void> {
  const tabs = vscode.window.tabGroups.all.flatMap((it) => it.tabs);
  const shown = tabs.filter(
    ({ input }) => input instanceof vscode.TabInputTextDiff && input.modified.toString() === uri.toString(),
  );
  await vscode.window.tabGroups.close(shown);
}

function showAnswered(): void {
  void vscode.window.showInformationMessage(vscode.l10n.t('This request has already been answered.'));
}
