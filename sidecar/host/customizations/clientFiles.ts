import * as z from 'zod';
import { errorCodes } from '../../protocol/errors.ts';
import { type CustomizationFiles, MAX_FILE_BYTES } from './files.ts';

/** Asks a client for something of its own. Rejects when it does not answer in time, and with what it answers. */
export type AskClient = (method: 'resourceList' | 'resourceRead', params: { readonly uri: string }) => Promise<unknown>;

const ListResult = z.object({ entries: z.array(z.object({ name: z.string().min(1), type: z.string() })) });
const ReadResult = z.object({ data: z.string(), encoding: z.enum(['utf-8', 'base64']) });

/** What a client published, read where it lies: the host opens no file because a client named it. */
export function clientFiles(ask: AskClient): CustomizationFiles {
  return {
    async list(folder) {
      const answer = await unlessMissing(ask('resourceList', { uri: folder }));
      if (answer === undefined) return undefined;
      const { entries } = ListResult.parse(answer);
      return entries
        .filter((it) => !/[/\\]/.test(it.name) && it.name !== '.' && it.name !== '..')
        .map(({ name, type }) => ({ name, isFolder: type === 'directory' }))
        .sort((a, b) => (a.name < b.name ? -1 : 1));
    },
    async read(uri) {
      const answer = await unlessMissing(ask('resourceRead', { uri }));
      if (answer === undefined) return undefined;
      const { data, encoding } = ReadResult.parse(answer);
      const text = encoding === 'utf-8' ? data : Buffer.from(data, 'base64').toString('utf8');
      if (text.length > MAX_FILE_BYTES) throw new Error(`larger than ${MAX_FILE_BYTES} bytes`);
      return text;
    },
  };
}

async function unlessMissing(answer: Promise<unknown>): Promise<unknown> {
  try {
    return await answer;
  } catch (thrown) {
    if (thrown instanceof Error && 'code' in thrown && thrown.code === errorCodes.NotFound) return undefined;
    throw thrown;
  }
}
