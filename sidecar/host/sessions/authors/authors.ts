import type { Params, Result } from '../../../protocol/methods.ts';
import { openGit } from '../../changes/git/git.ts';
import type { EffectDeps, Requester } from '../../context/effectDeps.ts';
import { lineAuthors } from './lineAuthors.ts';
import { noteAuthors } from './noteAuthors.ts';

/** Which session, prompt and call wrote the lines of files. */
export interface Authors {
  lineAuthors(params: Params<'x-switchboard/lineAuthors'>): Promise<Result<'x-switchboard/lineAuthors'>>;
  noteAuthors(
    params: Params<'x-switchboard/noteAuthors'>,
    requester: Requester,
  ): Promise<Result<'x-switchboard/noteAuthors'>>;
}

export function authorsOf(deps: EffectDeps): Authors {
  return {
    lineAuthors: (params) => lineAuthors(deps, params),
    noteAuthors: (params, requester) => noteAuthors({ ...deps, git: openGit(process.env) }, params, requester),
  };
}
