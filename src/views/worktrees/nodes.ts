import type { WorktreeHold } from '../../../sidecar/protocol/channels/session/worktrees.ts';
import { fileName } from '../../client/texts.ts';
import type { MeasuredTree } from '../../client/worktrees.ts';
import type { Localizer } from '../../platform/localizer.ts';
import { sizeText } from '../../platform/sizes.ts';
import { setUpLines, setUpText } from './setUpWords.ts';

/** The row of one worktree. */
export interface WorktreeNode {
  readonly kind: 'worktree';
  /** The URI of the worktree. */
  readonly id: string;
  readonly label: string;
  readonly description: string;
  readonly tooltip: string;
  readonly icon: string;
  /** Words for `when` clauses: `worktree safe`. */
  readonly contextValue: string;
  /** The first session that works there. */
  readonly session?: string;
  readonly tree: MeasuredTree;
}

const icons: Readonly<Record<WorktreeHold['kind'], string>> = {
  running: 'circle-filled',
  unreadable: 'warning',
  race: 'git-compare',
  uncommitted: 'edit',
  unpushed: 'cloud-upload',
  pinned: 'pinned',
};

/** Those that can be removed come last. The first ones need attention. */
export function worktreeNodes(l10n: Localizer, trees: readonly MeasuredTree[]): WorktreeNode[] {
  const hasSeveral = new Set(trees.map((it) => it.repository)).size > 1;
  const nodes = trees.map((it) => toNode(l10n, it, hasSeveral));
  return [...nodes.filter((it) => it.tree.holds.length > 0), ...nodes.filter((it) => it.tree.holds.length === 0)];
}

function toNode(l10n: Localizer, tree: MeasuredTree, namesRepository: boolean): WorktreeNode {
  const [session] = tree.sessions;
  const [hold] = tree.holds;
  const repository = fileName(tree.repository);
  const size = tree.size && sizeWords(l10n, tree.size);
  const isSafe = hold === undefined;
  const state = isSafe ? l10n.t('clean') : holdsText(l10n, tree.holds);
  const parts = [state, setUpText(l10n, tree.setUp), size ?? '', namesRepository ? repository : ''];
  return {
    kind: 'worktree',
    id: tree.worktree,
    label: worktreeName(l10n, tree),
    description: parts.filter((it) => it !== '').join(' · '),
    tooltip: [
      decodeURI(tree.worktree.replace(/^file:\/\//, '')),
      l10n.t('Repository: {0}', repository),
      ...(tree.branch === undefined ? [] : [l10n.t('Branch: {0}', tree.branch)]),
      ...tree.sessions.map((it) => l10n.t('Session: {0}', it.title || l10n.t('New session'))),
      l10n.t('State: {0}', state),
      ...setUpLines(l10n, tree.setUp),
    ].join('\n'),
    icon: hold ? icons[hold.kind] : 'check',
    contextValue: isSafe ? 'worktree safe' : 'worktree',
    ...(session && { session: session.resource }),
    tree,
  };
}

/** By the title of its session, or else by its branch. */
export function worktreeName(l10n: Localizer, { sessions, branch, worktree }: MeasuredTree): string {
  const [session] = sessions;
  if (session) return session.title || l10n.t('New session');
  return branch ?? fileName(worktree);
}

/** Why a worktree is kept, in a few words. */
export function holdsText(l10n: Localizer, holds: readonly WorktreeHold[]): string {
  return holds.map((it) => holdText(l10n, it)).join(', ');
}

function holdText(l10n: Localizer, hold: WorktreeHold): string {
  switch (hold.kind) {
    case 'uncommitted':
      return hold.files === 1 ? l10n.t('1 uncommitted file') : l10n.t('{0} uncommitted files', hold.files);
    case 'unpushed':
      return hold.commits === 1 ? l10n.t('1 unpushed commit') : l10n.t('{0} unpushed commits', hold.commits);
    case 'pinned':
      return l10n.t('pinned');
    case 'race':
      return l10n.t('in a race');
    case 'running':
      return l10n.t('running');
    case 'unreadable':
      return l10n.t('not readable by Git');
  }
}

function sizeWords(l10n: Localizer, { bytes, isWhole }: NonNullable<MeasuredTree['size']>): string {
  const size = sizeText(l10n, bytes);
  return isWhole ? size : l10n.t('more than {0}', size);
}
