import type { AgentInfo } from '../../../../sidecar/protocol/channels/root/schema.ts';
import type { MessageAttachment } from '../../../../sidecar/protocol/shared.ts';
import { parseContentUri } from '../../../../sidecar/protocol/uris.ts';
import type { AttachmentModel, RestoreState, SentAttachment } from '../../contract/chatModel.ts';
import type { KeptAttachment } from '../chatModel.ts';

/** @param model that the message goes to; absent: the agent's own choice */
export function toAttachment(
  { id, attachment }: KeptAttachment,
  agent: AgentInfo | undefined,
  model: string | undefined,
): AttachmentModel {
  const lines = attachment._meta?.['lines'];
  const bytes = attachment.type === 'resource' ? attachment.sizeHint : undefined;
  const isRefused = agent !== undefined && refuses(agent, model, attachment);
  return {
    id,
    ...toSent(attachment),
    ...(bytes !== undefined && { bytes }),
    ...(typeof lines === 'number' && { lines }),
    ...(isText(attachment) && { isText: true as const }),
    ...(isRefused && { refusedBy: agent.displayName }),
  };
}

/** Another client may have sent it: only a picture that is there as a whole is shown. */
export function toSent({ label, displayKind, type, _meta }: MessageAttachment): SentAttachment {
  const thumbnail = _meta?.['thumbnail'];
  const isWhole = typeof thumbnail === 'string' && thumbnail.startsWith('data:image/');
  return { label, kind: displayKind ?? type, ...(isWhole && { thumbnail }) };
}

/** What a page keeps over a reload, while there is no session. */
export function attachedOf(attachments: readonly KeptAttachment[]): Pick<RestoreState, 'attachments'> {
  return attachments.length === 0 ? {} : { attachments: attachments.map((it) => it.attachment) };
}

/** The agent is told only the name. One that was not started yet has not said what it takes. */
function refuses(
  { capabilities, models }: AgentInfo,
  model: string | undefined,
  attachment: MessageAttachment,
): boolean {
  if (attachment.type !== 'resource' || !parseContentUri(attachment.uri)) return false;
  const { contentType = '' } = attachment;
  if (contentType.startsWith('text/')) return false;
  const { prompts } = capabilities ?? {};
  if (!contentType.startsWith('image/')) return prompts?.files === false;
  return prompts?.images === false || models.find((it) => it.id === model)?.supportsVision === false;
}

/** Its text is at hand, and stands for nothing but itself. */
function isText(attachment: MessageAttachment): boolean {
  if (attachment.type === 'simple')
    return attachment.modelRepresentation !== undefined && attachment.displayKind === 'paste';
  return (
    attachment.type === 'resource' &&
    attachment.displayKind === 'paste' &&
    parseContentUri(attachment.uri) !== undefined
  );
}
