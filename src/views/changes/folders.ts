import { countLines } from '../../client/texts.ts';
import { countsText } from '../../platform/counts.ts';
import type { Localizer } from '../../platform/localizer.ts';
import type { ChangesNode } from './nodes.ts';

type FileNode = Extract<ChangesNode, { kind: 'file' }>;
export type FolderNode = Extract<ChangesNode, { kind: 'folder' }>;

interface Folder {
  readonly folders: Map<string, Folder>;
  readonly files: FileNode[];
}

/** Files below their folders. Folders that hold one folder and nothing else share a row with it. */
export function inFolders(l10n: Localizer, changeset: string, files: readonly FileNode[]): ChangesNode[] {
  const root: Folder = { folders: new Map(), files: [] };
  for (const file of files) {
    let at = root;
    for (const name of file.folder.split('/').filter((it) => it !== '')) {
      const known = at.folders.get(name) ?? { folders: new Map(), files: [] };
      at.folders.set(name, known);
      at = known;
    }
    at.files.push(file);
  }
  return rowsOf(l10n, changeset, root, '');
}

/** All files below a row. */
export function filesBelow(node: ChangesNode): FileNode[] {
  if (node.kind === 'file') return [node];
  return node.kind === 'folder' ? node.children.flatMap(filesBelow) : [];
}

function rowsOf(l10n: Localizer, changeset: string, { folders, files }: Folder, path: string): ChangesNode[] {
  const rows = [...folders]
    .toSorted(([a], [b]) => a.localeCompare(b))
    .map(([name, folder]) => folderRow(l10n, changeset, folder, name, `${path}${name}/`));
  return [...rows, ...files];
}

function folderRow(l10n: Localizer, changeset: string, folder: Folder, label: string, path: string): FolderNode {
  const [only, ...more] = folder.folders;
  if (only && more.length === 0 && folder.files.length === 0)
    return folderRow(l10n, changeset, only[1], `${label}/${only[0]}`, `${path}${only[0]}/`);
  const children = rowsOf(l10n, changeset, folder, path);
  const below = children.flatMap(filesBelow);
  const { added, removed } = countLines(below.map((it) => it.file.edit));
  const count = below.length === 1 ? l10n.t('1 file') : l10n.t('{0} files', below.length);
  const parts = [countsText(added, removed), count].filter((it) => it !== '');
  return {
    kind: 'folder',
    id: `folder/${changeset}/${path}`,
    changeset,
    label,
    description: parts.join(' · '),
    spoken: [label, ...parts].join(', '),
    // What git has not is not kept or undone: it is no work of an agent.
    contextValue: below.every((it) => it.contextValue.startsWith('file')) ? 'folder' : 'folder new',
    children,
  };
}
