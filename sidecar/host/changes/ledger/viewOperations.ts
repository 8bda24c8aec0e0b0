import * as z from 'zod';
import type { ChangesetFile, ChangesetOperation } from '../../../protocol/channels/changeset/schema.ts';

/** What can be done with a changeset that git knows of, besides keep and undo. */
export type RepositoryOperation = 'stage' | 'commit' | 'patch';
const ids: ReadonlySet<string> = new Set<RepositoryOperation>(['stage', 'commit', 'patch']);
export function isRepositoryOperation(id: string): id is RepositoryOperation {
  return ids.has(id);
}

const whole = ['changeset', 'resource'];
const HOOKS = "The repository's Git hooks will run.";

export function patchOperation(isPossible: boolean): ChangesetOperation {
  const status = isPossible ? 'idle' : 'disabled';
  return { id: 'patch', label: 'Create Patch', scopes: whole, status, icon: 'diff', group: 'git' };
}

/** For what a session or a turn changed in a repository. */
export function sessionGitOperations(hasFiles: boolean, isRunning: boolean): ChangesetOperation[] {
  const status = hasFiles && !isRunning ? 'idle' : 'disabled';
  return [
    { id: 'stage', label: 'Stage', scopes: whole, status, icon: 'add', group: 'git' },
    {
      id: 'commit',
      label: 'Commit',
      scopes: ['changeset'],
      status,
      confirmation: `Only these files will be committed, with their current content. The session title is used as the commit message. ${HOOKS}`,
      icon: 'git-commit',
      group: 'git',
    },
  ];
}

const GitMeta = z.object({ git: z.object({ staged: z.boolean(), unstaged: z.boolean() }) });

/** For what git has not. */
export function uncommittedOperations(files: readonly ChangesetFile[]): ChangesetOperation[] {
  const states = files.map((it) => GitMeta.safeParse(it._meta).data?.git);
  const can = (isPossible: boolean) => (isPossible ? 'idle' : 'disabled');
  return [
    {
      id: 'stage',
      label: 'Stage',
      scopes: whole,
      status: can(states.some((it) => it?.unstaged)),
      icon: 'add',
      group: 'git',
    },
    {
      id: 'commit',
      label: 'Commit',
      scopes: ['changeset'],
      status: can(states.some((it) => it?.staged)),
      confirmation: `The staged changes will be committed. The session title is used as the commit message. ${HOOKS}`,
      icon: 'git-commit',
      group: 'git',
    },
    patchOperation(files.length > 0),
  ];
}
