import { isComputing } from '../../../sidecar/protocol/channels/changeset/isComputing.ts';
import type { ChangesetFile, ChangesetState } from '../../../sidecar/protocol/channels/changeset/schema.ts';
import type { SessionSummary } from '../../../sidecar/protocol/channels/session/schema.ts';
import { hasFlag, status } from '../../../sidecar/protocol/status.ts';
import { changesetOf, uncommittedOf } from '../../client/changesets.ts';
import { isImported } from '../../client/imported.ts';
import { countLines, fileName } from '../../client/texts.ts';
import { countsText } from '../../platform/counts.ts';
import { fromHost, type Localizer } from '../../platform/localizer.ts';
import { inFolders } from './folders.ts';

/** What of a title leaves room for the counts. */
const MAX_TITLE = 40;

export type ChangesNode =
  | {
      readonly kind: 'set';
      readonly id: string;
      readonly session: string;
      readonly changeset: string;
      /** How many files differ still. */
      readonly files: number;
      /** Whose agent works, so that nothing can be undone yet. */
      readonly isBusy: boolean;
      readonly label: string;
      readonly description: string;
      readonly tooltip: string;
    }
  | {
      readonly kind: 'file';
      readonly id: string;
      readonly changeset: string;
      readonly file: ChangesetFile;
      readonly label: string;
      readonly description: string;
      /** The file on disk, or where it was. */
      readonly uri: string;
      /** Below the open folder that holds it; empty at the top. */
      readonly folder: string;
      /** Why an undo left it as it is. */
      readonly why: string;
      readonly contextValue: string;
      readonly spoken: string;
    }
  | {
      readonly kind: 'folder';
      readonly id: string;
      readonly changeset: string;
      readonly label: string;
      readonly description: string;
      readonly spoken: string;
      readonly contextValue: string;
      readonly children: readonly ChangesNode[];
    }
  | {
      readonly kind: 'uncommitted';
      readonly id: string;
      readonly session: string;
      readonly changeset: string;
      /** The names of its folders, where there are several such rows. */
      readonly folder: string;
      readonly label: string;
      readonly description: string;
      readonly contextValue: string;
    }
  | { readonly kind: 'note'; readonly id: string; readonly changeset: string; readonly label: string };

/** The sessions that changed something, or whose undo can be taken back, newest first. Their files are asked for when a person opens the row. */
export function setNodes(
  l10n: Localizer,
  sessions: readonly SessionSummary[],
  canRedo: (changeset: string) => boolean,
): Extract<ChangesNode, { kind: 'set' }>[] {
  return sessions
    .filter((it) => !isImported(it) && ((it.changes?.files ?? 0) > 0 || canRedo(changesetOf(it.resource))))
    .toSorted((a, b) => b.modifiedAt.localeCompare(a.modifiedAt))
    .map((summary) => setNode(l10n, summary));
}

function setNode(l10n: Localizer, summary: SessionSummary): Extract<ChangesNode, { kind: 'set' }> {
  const { resource, changes } = summary;
  const title = summary.title || l10n.t('New session');
  const isBusy = hasFlag(summary.status, status.InProgress);
  const counts = countsText(changes?.additions, changes?.deletions);
  const description = [counts, filesText(l10n, changes?.files ?? 0), isBusy ? l10n.t('the agent is working') : '']
    .filter((it) => it !== '')
    .join(' · ');
  const why = isBusy ? [l10n.t('You can undo changes when the agent has finished, or after you stop it.')] : [];
  return {
    kind: 'set',
    id: `set/${resource}`,
    session: resource,
    changeset: changesetOf(resource),
    files: changes?.files ?? 0,
    isBusy,
    label: title.length > MAX_TITLE ? `${title.slice(0, MAX_TITLE - 1)}…` : title,
    description,
    tooltip: [title, description, ...why].join('\n'),
  };
}

/** The newest session of each folder, or set of folders: what git has not is the same for all that work there. */
export function sessionsByFolder(
  sessions: readonly SessionSummary[],
  hostOf: (session: string) => string,
): { readonly session: string; readonly folders: readonly string[] }[] {
  const found = new Map<string, { session: string; folders: readonly string[] }>();
  for (const { resource, workingDirectories } of sessions.toSorted((a, b) =>
    b.modifiedAt.localeCompare(a.modifiedAt),
  )) {
    const folders = workingDirectories ?? [];
    const key = folders.length === 0 ? resource : [hostOf(resource), ...folders.toSorted()].join(' ');
    if (!found.has(key)) found.set(key, { session: resource, folders });
  }
  return [...found.values()];
}

/** What git has not in the folders of a session: asked for when a person opens the row. */
export function uncommittedNode(
  l10n: Localizer,
  session: string,
  state: ChangesetState | undefined,
  folder = '',
): Extract<ChangesNode, { kind: 'uncommitted' }> {
  const changeset = uncommittedOf(session);
  const can = (state?.operations ?? []).filter((it) => it.status !== 'disabled').map((it) => it.id);
  return {
    kind: 'uncommitted',
    id: `uncommitted/${session}`,
    session,
    changeset,
    label: l10n.t('Uncommitted changes'),
    folder,
    description: [state?.files.length ? filesText(l10n, state.files.length) : '', folder]
      .filter((it) => it !== '')
      .join(' · '),
    contextValue: ['uncommitted', ...can].join(' '),
  };
}

export function fileNodes(
  l10n: Localizer,
  changeset: string,
  state: ChangesetState | undefined,
  folders: readonly string[],
  isTree = false,
): ChangesNode[] {
  const note = (id: string, label: string): ChangesNode[] => [
    { kind: 'note', id: `${id}/${changeset}`, changeset, label },
  ];
  if (!state) return note('loading', l10n.t('Reading changes…'));
  const problem =
    state.status === 'error'
      ? note('error', state.error ? fromHost(l10n, state.error.message) : l10n.t('The changes could not be read.'))
      : [];
  if (problem.length > 0 && state.files.length === 0) return problem;
  if (state.files.length === 0) {
    return isComputing(state) ? note('computing', l10n.t('Looking for changes…')) : note('none', l10n.t('No changes.'));
  }
  const isInGit = state.operations?.some((it) => it.id === 'commit') === true;
  const files = state.files.map((file) => {
    const node = fileNode(l10n, changeset, file, folders, isInGit);
    const parts = isTree || node.folder === '' ? node.parts : [...node.parts, node.folder];
    const { parts: _parts, ...shown } = node;
    return { ...shown, description: parts.join(' · '), spoken: [node.label, ...parts].join(', ') };
  });
  return [...problem, ...(isTree ? inFolders(l10n, changeset, files) : files)];
}

function fileNode(
  l10n: Localizer,
  changeset: string,
  file: ChangesetFile,
  folders: readonly string[],
  isInGit: boolean,
) {
  const git = file._meta?.['git'] as { staged?: boolean; unstaged?: boolean } | undefined;
  const uri = file.edit.after?.uri ?? file.edit.before?.uri ?? file.id;
  const { added, removed } = countLines([file.edit]);
  const counts = countsText(added, removed);
  const label = fileName(uri);
  const what = kindText(l10n, file);
  const reviewed = file.reviewed ? l10n.t('kept') : '';
  // Who keeps a file has decided about what was left of it.
  const left = file.reviewed ? undefined : (file._meta?.['left'] as { reason?: string; message?: string } | undefined);
  const why = left?.message === undefined ? '' : fromHost(l10n, left.message);
  const short = left?.reason === 'conflict' ? l10n.t('changed since') : why;
  const staged = git?.staged ? l10n.t('staged') : '';
  return {
    kind: 'file' as const,
    id: `file/${changeset}/${file.id}`,
    changeset,
    file,
    label,
    parts: [why && l10n.t('not undone: {0}', short), counts, what, staged, reviewed].filter((it) => it !== ''),
    uri,
    folder: folderOf(uri, folders),
    why,
    contextValue: git ? `new${git.unstaged ? ' unstaged' : ''}` : contextOf(file, isInGit),
  };
}

function contextOf({ reviewed }: ChangesetFile, isInGit: boolean): string {
  return ['file', ...(reviewed ? ['kept'] : []), ...(isInGit ? ['git'] : [])].join(' ');
}

function kindText(l10n: Localizer, { edit }: ChangesetFile): string {
  if (!edit.before) return l10n.t('new');
  if (!edit.after) return l10n.t('deleted');
  return edit.before.uri === edit.after.uri ? '' : l10n.t('renamed from {0}', fileName(edit.before.uri));
}

/** Where the file lies below the open folder that holds it; nothing for one at the top. */
function folderOf(uri: string, folders: readonly string[]): string {
  const home = folders.find((it) => uri.startsWith(`${it}/`));
  const path = home === undefined ? uri : uri.slice(home.length + 1);
  const folder = path.slice(0, Math.max(0, path.lastIndexOf('/')));
  try {
    return decodeURIComponent(folder);
  } catch {
    return folder; // a lone `%` in a name that was never encoded
  }
}

function filesText(l10n: Localizer, count: number): string {
  if (count === 0) return l10n.t('undone');
  return count === 1 ? l10n.t('1 file') : l10n.t('{0} files', count);
}
