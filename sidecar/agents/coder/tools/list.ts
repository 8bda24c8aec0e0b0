import * as z from 'zod';
import { Fault } from '../../../platform/faults.ts';
import { absolute, shown } from './paths.ts';
import { deniedNote, readable } from './readable.ts';
import { tool } from './tool.ts';
import { walk } from './walk.ts';

const MOST = 500;

export const list = tool({
  name: 'list',
  kind: 'read',
  description: 'Lists files and folders, except those that Git ignores. Folders end with a slash.',
  isReading: true,
  input: z.object({
    path: z.string().exactOptional().describe('Path of the folder. Default: the working folder'),
    depth: z.int().min(1).max(10).exactOptional().describe('How many levels. Default: 2'),
  }),
  async run({ path = '.', depth = 2 }, { context, host, confirm, signal }) {
    const target = absolute(context, path);
    const name = shown(context, target);
    await confirm({
      kind: 'read',
      invocationMessage: `List ${name}`,
      toolInput: JSON.stringify({ path: target }),
      paths: [target],
    });
    const lines: string[] = [];
    try {
      for await (const it of walk(target, signal, depth)) {
        if (lines.length === MOST) break;
        lines.push(it.isFolder ? `${it.path}/` : it.path);
      }
    } catch (cause) {
      signal.throwIfAborted();
      throw new Fault('not_found', `${name} cannot be listed. Check that it is a folder that can be read.`, { cause });
    }
    // A name can reveal as much as the text of a file.
    const { names, deniedCount } = await readable(host, target, lines);
    const note = deniedNote(deniedCount);
    const rest = lines.length === MOST ? `\n(Only the first ${MOST} are listed. List a subfolder.)` : '';
    return { text: (lines.length === 0 ? '(empty)' : names.join('\n') + rest) + note, past: `Listed ${name}` };
  },
});
