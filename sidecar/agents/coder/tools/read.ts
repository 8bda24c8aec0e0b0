import * as z from 'zod';
import { Fault } from '../../../platform/faults.ts';
import { insideFolders } from '../../edits/files.ts';
import { shown } from './paths.ts';
import { tool } from './tool.ts';

const MOST_LINES = 2_000;
const MOST_CHARACTERS = 100_000;

export const read = tool({
  name: 'read',
  kind: 'read',
  description: 'Reads a text file. Lines are numbered. Use offset and limit for a part of a long file.',
  isReading: true,
  input: z.object({
    path: z.string().min(1).describe('Path of the file'),
    offset: z.int().min(1).exactOptional().describe('Number of the first line, from 1'),
    limit: z.int().min(1).exactOptional().describe('Number of lines'),
  }),
  async run({ path, offset = 1, limit = MOST_LINES }, { context, confirm }) {
    const target = await insideFolders(path, context.folders);
    const name = shown(context, target);
    await confirm({
      kind: 'read',
      invocationMessage: `Read ${name}`,
      toolInput: JSON.stringify({ path: target }),
      paths: [target],
    });
    const text = await context.files.readText(target);
    if (text.includes('\0')) throw new Fault('invalid_params', `${name} is not a text file, so it cannot be read.`);
    const lines = text.replace(/\n$/, '').split('\n');
    if (offset > lines.length)
      throw new Fault('invalid_params', `${name} has ${lines.length} lines. Use a smaller offset.`);
    const chosen = fitting(lines.slice(offset - 1, offset - 1 + Math.min(limit, MOST_LINES)));
    const end = offset - 1 + chosen.length;
    const numbered = chosen.map((it, at) => `${offset + at}\t${it}`).join('\n');
    const rest = end < lines.length ? `\n(${lines.length - end} more lines. Continue with offset ${end + 1}.)` : '';
    return { text: text === '' ? '(the file is empty)' : numbered + rest, past: `Read ${name}` };
  },
});

/** At least the first line, so that the next call can continue after it. */
function fitting(lines: readonly string[]): readonly string[] {
  let size = 0;
  const end = lines.findIndex((it, at) => (size += it.length) > MOST_CHARACTERS && at > 0);
  return (end === -1 ? lines : lines.slice(0, end)).map((it) =>
    it.length > MOST_CHARACTERS ? `${it.slice(0, MOST_CHARACTERS)}… (the rest of the line was cut off)` : it,
  );
}
