import type { AgentSession, Attachment, CustomAgent, TurnRequest } from '../../agents/provider.ts';
import type { Message } from '../../protocol/shared.ts';
import { pathOf } from '../context/paths.ts';

/** A message as the agent gets it. */
export function toTurnRequest(turnId: string, message: Message, model: string | undefined): TurnRequest {
  const attachments = (message.attachments ?? []).map((it) => toAttachment(it)).filter((it) => it !== undefined);
  const chosen = message.model?.id ?? model;
  const modelConfig = message.model?.config;
  return {
    turnId,
    text: message.text,
    attachments,
    ...(chosen !== undefined && { model: chosen }),
    ...(modelConfig && { modelConfig }),
    ...(message.origin.kind === 'agent' && { isDelegated: true }),
  };
}

/** The model that a custom agent asks for counts where the message names none, and the agent has it. */
export function asCustomAgent(
  request: TurnRequest,
  { options }: AgentSession,
  customAgent: CustomAgent | undefined,
): TurnRequest {
  if (!customAgent) return request;
  const { name, instructions, model: wanted } = customAgent;
  const known = options.models.find((it) => it.id === wanted || it.name === wanted);
  const isChosen = request.model !== undefined && request.model !== options.model;
  const { modelConfig: _ofAnother, ...own } = request;
  return {
    ...(known && !isChosen ? { ...own, model: known.id } : request),
    customAgent: { name, instructions },
  };
}

function toAttachment(attachment: NonNullable<Message['attachments']>[number]): Attachment | undefined {
  const { label } = attachment;
  switch (attachment.type) {
    case 'simple':
      return { kind: 'text', label, text: attachment.modelRepresentation ?? label };
    case 'embeddedResource':
      if (attachment.contentType.startsWith('text/'))
        return { kind: 'text', label, text: Buffer.from(attachment.data, 'base64').toString('utf8') };
      return { kind: 'data', label, base64: attachment.data, contentType: attachment.contentType };
    case 'resource': {
      const path = pathOf(attachment.uri);
      const range = attachment.selection?.range;
      const lines = range && ([range.start.line + 1, range.end.line + 1] as const);
      return path === undefined
        ? { kind: 'text', label, text: attachment.uri }
        : { kind: 'file', label, path, ...(lines && { lines }) };
    }
    default:
      return undefined; // a kind of a later version: remarks and chats have become text before
  }
}
