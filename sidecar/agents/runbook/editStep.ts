import { type Edit, kindOfEdit, wordsFor, writeEdit } from '../edits/edit.ts';
import type { TurnEvent } from '../provider.ts';
import { toolNames } from '../toolNames.ts';
import { denied, done, type Progress, type RunDeps, type StepEnd } from './progress.ts';

/** One edit tool call: asks with a preview, then writes if the files are still what the preview showed. */
export async function* runEdit(
  id: string,
  edit: Edit | string,
  progress: Progress,
  deps: RunDeps,
): AsyncGenerator<TurnEvent, StepEnd> {
  if (typeof edit === 'string') return { kind: 'failed', why: `The diff does not apply: ${edit}` };
  const paths = edit.files.map((it) => it.path);
  const { invocationMessage, past } = wordsFor(edit, edit.label);
  const kind = kindOfEdit(edit);
  yield { kind: 'toolStarted', toolCallId: id, toolName: 'edit', displayName: toolNames[kind] };
  const decision = await deps.host.confirm({
    toolCallId: id,
    kind,
    invocationMessage,
    toolInput: JSON.stringify({ files: paths }),
    paths,
    preview: edit.files,
  });
  if (!decision.allow) return yield* denied(id, decision, progress, deps);
  const problem = await writeEdit(edit, deps.context.folders);
  yield {
    kind: 'toolEnded',
    toolCallId: id,
    success: problem === undefined,
    pastTenseMessage: problem === undefined ? past : `Did not change ${edit.label}`,
    content: [],
    paths,
    ...(problem !== undefined && { error: problem }),
  };
  return problem === undefined ? done : { kind: 'failed', why: problem };
}
