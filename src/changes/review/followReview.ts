import * as vscode from 'vscode';
import type { SessionSummary } from '../../../sidecar/protocol/channels/session/schema.ts';
import { changesetOf } from '../../client/changesets.ts';
import { authorityOf } from '../../client/contentUris.ts';
import { isImported } from '../../client/imported.ts';
import type { ReviewSet } from './reviewFiles.ts';
import type { ReviewDeps } from './reviewModule.ts';

/** Changesets that are followed unasked, newest first: their files say in each editor what is to be reviewed. */
const MAX_FOLLOWED = 10;

/** What agents changed in the folders of this window, and what else somebody looks at, newest session first. */
export class FollowedReview implements vscode.Disposable {
  readonly #deps: Pick<ReviewDeps, 'catalogue' | 'changesets' | 'hostOf'>;
  readonly #changed = new vscode.EventEmitter<void>();
  readonly onDidChange = this.#changed.event;
  readonly #stop: vscode.Disposable;

  constructor(deps: Pick<ReviewDeps, 'catalogue' | 'changesets' | 'hostOf'>) {
    this.#deps = deps;
    this.#stop = vscode.Disposable.from(
      { dispose: deps.catalogue.onDidChange(() => this.#follow()).dispose },
      { dispose: deps.changesets.onDidChange(() => this.#changed.fire()).dispose },
    );
    this.#follow();
  }

  get sets(): ReviewSet[] {
    const { changesets, hostOf } = this.#deps;
    return this.#newest().flatMap(({ resource }) => {
      const changeset = changesetOf(resource);
      const state = changesets.peek(changeset);
      return state ? [{ changeset, authority: authorityOf(hostOf(changeset)), files: state.files }] : [];
    });
  }

  dispose(): void {
    this.#stop.dispose();
    this.#changed.dispose();
  }

  #follow(): void {
    const folders = (vscode.workspace.workspaceFolders ?? []).map((it) => it.uri.toString());
    const isHere = (folder: string) => folders.some((it) => it === folder || folder.startsWith(`${it}/`));
    const here = this.#newest().filter((it) => (it.changes?.files ?? 0) > 0 && it.workingDirectories?.some(isHere));
    for (const it of here.slice(0, MAX_FOLLOWED)) this.#deps.changesets.look(changesetOf(it.resource));
    this.#changed.fire();
  }

  #newest(): SessionSummary[] {
    const own = this.#deps.catalogue.sessions.filter((it) => !isImported(it));
    return own.toSorted((a, b) => b.modifiedAt.localeCompare(a.modifiedAt));
  }
}
