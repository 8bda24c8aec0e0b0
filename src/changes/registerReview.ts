import * as vscode from 'vscode';
import type { Disposable } from '../client/port.ts';
import { onCommand } from '../platform/commandHandlers.ts';
import { loadBundle } from '../platform/loadBundle.ts';
import { openFileDiff } from './diffs.ts';
import { type OperationsDeps, operate } from './operations.ts';
import { type OpenedReview, type ReviewDeps, type ReviewModule, reviewCommands } from './review/reviewModule.ts';

export interface ReviewGateDeps extends OperationsDeps, Pick<ReviewDeps, 'catalogue' | 'attention' | 'port'> {
  /** The absolute path of `dist/review.cjs`. */
  readonly bundle: string;
}

/** The review of changes, loaded when there are some, or when a person asks for it. */
export function registerReview(deps: ReviewGateDeps): vscode.Disposable & Pick<OpenedReview, 'isPreviewed'> {
  let opened: OpenedReview | undefined;
  const open = () =>
    (opened ??= loadBundle<ReviewModule>(deps.bundle, 'openReview').openReview({
      ...deps,
      hostOf: (it) => deps.hostOf(it).id,
      operate: (...it) => operate(deps, ...it),
      openFile: openFileDiff,
    }));
  const look = () => {
    const hasChanges = deps.catalogue.sessions.some(
      (it) => (it.changes?.files ?? 0) > 0 || (it.annotations?.annotationCount ?? 0) > 0,
    );
    if (opened || !(hasChanges || deps.attention.pending.some((it) => it.request.kind === 'toolConfirmation'))) return;
    stop.dispose();
    open();
  };
  const stops: Disposable[] = [deps.catalogue.onDidChange(look), deps.attention.onDidChange(look)];
  const stop = vscode.Disposable.from(...stops);
  look();
  const registered = vscode.Disposable.from(
    stop,
    ...reviewCommands.map((id) => onCommand(id, (...args: readonly unknown[]) => open().commands[id](...args))),
    new vscode.Disposable(() => opened?.dispose()),
  );
  return { isPreviewed: (it) => opened?.isPreviewed(it) ?? false, dispose: () => registered.dispose() };
}
