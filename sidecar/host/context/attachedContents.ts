import { Fault } from '../../platform/faults.ts';
import type { Message, MessageAttachment } from '../../protocol/shared.ts';
import { parseContentUri } from '../../protocol/uris.ts';
import type { EffectDeps } from './effectDeps.ts';

/**
 * Has the session refer to the contents that a message or a draft attaches, whoever keeps them so far.
 * @param member of the action that the message is
 * @returns why the message may not attach them
 */
export function holdContents(
  { changes }: Pick<EffectDeps, 'changes'>,
  session: string,
  message: Message,
  member: 'message' | 'draft',
): string | undefined {
  for (const [at, it] of (message.attachments ?? []).entries()) {
    if (it.type !== 'resource' || !parseContentUri(it.uri)) continue;
    if (!changes.holdContent(session, it.uri)) return `${member}.attachments.${at}.uri: content not found`;
  }
  return undefined;
}

/**
 * Contents that a message attaches, as the bytes or the text that an agent reads; of the others nothing changes.
 * @throws {Fault} `content_not_found`
 */
export async function withContents({ changes }: Pick<EffectDeps, 'changes'>, message: Message): Promise<Message> {
  const { attachments } = message;
  if (!attachments?.some((it) => it.type === 'resource' && parseContentUri(it.uri))) return message;
  return { ...message, attachments: await Promise.all(attachments.map((it) => toBytes(changes, it))) };
}

async function toBytes(changes: EffectDeps['changes'], attachment: MessageAttachment): Promise<MessageAttachment> {
  if (attachment.type !== 'resource' || !parseContentUri(attachment.uri)) return attachment;
  const { label, uri, contentType = 'application/octet-stream' } = attachment;
  try {
    const bytes = Buffer.from(await changes.readContent(uri));
    if (contentType.startsWith('text/')) return { type: 'simple', label, modelRepresentation: bytes.toString('utf8') };
    return { type: 'embeddedResource', label, data: bytes.toString('base64'), contentType };
  } catch (thrown) {
    if (!(thrown instanceof Fault)) throw thrown;
    throw new Fault(thrown.code, `"${label}" is no longer stored. Attach it again, and send the message again.`);
  }
}
