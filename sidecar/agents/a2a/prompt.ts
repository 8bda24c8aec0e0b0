import { basename } from 'node:path';
import { roleFor } from '../customAgent.ts';
import type { Attachment, SessionFiles, TurnRequest } from '../provider.ts';
import type { Part } from './wire.ts';

/**
 * The message and its attachments. The agent runs elsewhere, so it gets the contents of the attached files, and of no other files.
 *
 * @throws {Fault} `not_found` or `forbidden` for an attached file
 */
export async function toParts(
  { text, attachments, customAgent }: Pick<TurnRequest, 'text' | 'attachments' | 'customAgent'>,
  files: SessionFiles,
): Promise<readonly Part[]> {
  const role = customAgent ? [{ kind: 'text' as const, text: roleFor(customAgent) }] : [];
  const attached = await Promise.all(attachments.map((it) => toPart(it, files)));
  return [...role, { kind: 'text', text }, ...attached];
}

async function toPart(attachment: Attachment, files: SessionFiles): Promise<Part> {
  const { label } = attachment;
  switch (attachment.kind) {
    case 'text':
      return inText(label, attachment.text);
    case 'data':
      return { kind: 'bytes', base64: attachment.base64, contentType: attachment.contentType, name: label };
    case 'file': {
      const whole = await files.readText(attachment.path);
      if (!attachment.lines) return inText(basename(attachment.path), whole);
      const [from, to] = attachment.lines;
      const lines = whole.split('\n').slice(from - 1, to);
      return inText(label, lines.join('\n'));
    }
  }
}

const inText = (name: string, text: string): Part => ({ kind: 'text', text: `\n${name}:\n\`\`\`\n${text}\n\`\`\`\n` });
