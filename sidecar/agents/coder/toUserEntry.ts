import type { Attachment, SessionContext, TurnRequest } from '../provider.ts';
import type { UserEntry } from './conversation/entries.ts';
import { shown } from './tools/paths.ts';

/** A message with its attachments. Selected lines are included. A whole file is only named, so that the model reads it if needed. */
export async function toUserEntry(
  request: Pick<TurnRequest, 'text' | 'attachments'>,
  context: SessionContext,
): Promise<UserEntry> {
  const attached = await Promise.all(request.attachments.map((it) => toPart(it, context)));
  return { role: 'user', parts: [{ type: 'text', text: request.text }, ...attached] };
}

async function toPart(attachment: Attachment, context: SessionContext): Promise<UserEntry['parts'][number]> {
  const { label } = attachment;
  switch (attachment.kind) {
    case 'text':
      return { type: 'text', text: `Attached, "${label}":\n\n${attachment.text}` };
    case 'data': {
      const { contentType: mediaType, base64 } = attachment;
      return /^image\/|^application\/pdf$/.test(mediaType)
        ? { type: 'file', mediaType, base64 }
        : {
            type: 'text',
            text: `(The attachment "${label}" was left out, because its type ${mediaType} is not supported.)`,
          };
    }
    case 'file': {
      const { path, lines } = attachment;
      const name = shown(context, path);
      if (!lines) return { type: 'text', text: `Attached: ${name}` };
      const [from, to] = lines;
      const all = (await context.files.readText(path)).split('\n');
      return {
        type: 'text',
        text: `Attached, lines ${from} to ${to} of ${name}:\n\n${all.slice(from - 1, to).join('\n')}`,
      };
    }
  }
}
