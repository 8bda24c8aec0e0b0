import * as z from 'zod';
import { Fault } from '../../../platform/faults.ts';
import { type Edit, editOfPatch, editOfWrite, kindOfEdit, wordsFor, writeEdit } from '../../edits/edit.ts';
import { shown } from './paths.ts';
import { replaceText } from './replaceText.ts';
import { type ToolOutcome, type ToolScope, tool } from './tool.ts';

const path = z.string().min(1).describe('Path of the file');

export const write = tool({
  name: 'write',
  kind: 'edit',
  description: 'Creates a file, or replaces all of its text. Use edit to change a part of a file.',
  input: z.object({ path, content: z.string() }),
  run: async (input, scope) => perform(await editOfWrite(input.path, input.content, scope.context.folders), scope),
});

export const edit = tool({
  name: 'edit',
  kind: 'edit',
  description:
    'Replaces text in a file. The old text must occur exactly once, including spaces and line breaks, unless all is set. Read the file first.',
  input: z.object({
    path,
    old_string: z.string().min(1).describe('Text to replace, without line numbers'),
    new_string: z.string(),
    all: z.boolean().exactOptional().describe('Replace every occurrence'),
  }),
  async run(input, scope) {
    const { folders } = scope.context;
    const unchanged = await editOfWrite(input.path, '', folders);
    const before = unchanged.files[0]?.before;
    if (before === undefined) throw new Fault('not_found', `${input.path} does not exist. Use write to create it.`);
    const replaced = replaceText(before, input.old_string, input.new_string, input.all === true);
    if (!replaced.ok) throw new Fault('invalid_params', replaced.message);
    const files = unchanged.files.map((it) => ({ ...it, after: replaced.text }));
    const outcome = await perform({ ...unchanged, files }, scope);
    if (outcome.hasFailed === true || !replaced.isRepaired) return outcome;
    const repaired = 'The old text differed from the file in spaces. The indentation was adjusted.';
    return { ...outcome, text: `${outcome.text} ${repaired}`, past: `${outcome.past} (adjusted the indentation)` };
  },
});

export const patch = tool({
  name: 'patch',
  kind: 'edit',
  description:
    'Applies a unified diff to one or more files: all of it, or nothing. Paths begin with a/ and b/, or are /dev/null for a file that is created or deleted.',
  input: z.object({ patch: z.string().min(1) }),
  async run(input, scope) {
    const change = await editOfPatch(input.patch, scope.context.folders);
    if (typeof change === 'string') throw new Fault('invalid_params', `The diff does not apply: ${change}`);
    return perform(change, scope);
  },
});

/** Asks with a preview of each file. Writes the files if they have not changed since. */
async function perform(change: Edit, { context, confirm }: ToolScope): Promise<ToolOutcome> {
  const paths = change.files.map((it) => it.path);
  const label = paths.map((it) => shown(context, it)).join(', ');
  const { invocationMessage, past } = wordsFor(change, label);
  await confirm({
    kind: kindOfEdit(change),
    invocationMessage,
    toolInput: JSON.stringify({ files: paths }),
    paths,
    preview: change.files,
  });
  const problem = await writeEdit(change, context.folders);
  if (problem !== undefined) return { text: problem, past: `Did not change ${label}`, hasFailed: true, paths };
  return { text: `${past}.`, past, content: [], paths };
}
