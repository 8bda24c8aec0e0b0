import * as vscode from 'vscode';
import type { MessageAttachment } from '../../../../sidecar/protocol/shared.ts';
import type { AttachingDeps } from './attachModule.ts';
import { fileAttachment } from './files.ts';
import { NotAttached, textAttachment } from './kept.ts';
import { nameOf } from './selection.ts';

/** The parts that are used here of what VS Code's own extension for git offers to others. */
interface Repository {
  readonly rootUri: vscode.Uri;
  /** As text: `true` what is staged, otherwise what is not. */
  diff(cached: boolean): Promise<string>;
  diffWithHEAD(path: string): Promise<string>;
}
interface GitExtension {
  getAPI(version: 1): {
    readonly repositories: readonly Repository[];
    getRepository(uri: vscode.Uri): Repository | null;
  };
}

/** The working tree of a repository against its last commit. Asks which one, where there are several. */
export async function pickChanges(deps: AttachingDeps): Promise<MessageAttachment | undefined> {
  const { repositories } = await gitApi();
  if (repositories.length === 0)
    throw new NotAttached(
      vscode.l10n.t('None of the folders in this window is a Git repository, so there are no changes to attach.'),
    );
  const items = repositories.map((repository) => ({
    label: nameOf(repository.rootUri),
    description: repository.rootUri.fsPath,
    repository,
  }));
  const picked =
    items.length === 1
      ? items[0]
      : await vscode.window.showQuickPick(items, {
          ignoreFocusOut: true,
          placeHolder: vscode.l10n.t('Choose a repository'),
        });
  if (!picked) return undefined;
  const diff = [await picked.repository.diff(true), await picked.repository.diff(false)].filter(Boolean).join('\n');
  if (diff === '') throw new NotAttached(vscode.l10n.t('{0} has no uncommitted changes to attach.', picked.label));
  return textAttachment(deps, vscode.l10n.t('Changes in {0}', picked.label), diff, 'changes');
}

/** What the working tree holds of one file and the last commit has not; of a new file all of it. */
export async function changesOf(deps: AttachingDeps, uri: vscode.Uri): Promise<MessageAttachment> {
  const repository = (await gitApi()).getRepository(uri);
  const diff = await repository?.diffWithHEAD(uri.fsPath);
  if (!diff) return fileAttachment(deps, uri);
  return textAttachment(deps, vscode.l10n.t('Changes in {0}', nameOf(uri)), diff, 'changes');
}

async function gitApi(): Promise<ReturnType<GitExtension['getAPI']>> {
  const git = vscode.extensions.getExtension<GitExtension>('vscode.git');
  if (!git) throw new NotAttached(vscode.l10n.t("VS Code's Git extension is disabled. Enable it and try again."));
  return (await git.activate()).getAPI(1);
}
