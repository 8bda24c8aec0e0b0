import { basename } from 'node:path';
import { pathToFileURL } from 'node:url';
import { roleFor } from '../customAgent.ts';
import type { Attachment, SessionFiles, TurnRequest } from '../provider.ts';

/** A content block of the protocol, as we send it. */
export type PromptBlock =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'image'; readonly data: string; readonly mimeType: string }
  | { readonly type: 'resource_link'; readonly uri: string; readonly name: string }
  | {
      readonly type: 'resource';
      readonly resource: { readonly uri: string; readonly text: string; readonly mimeType?: string };
    }
  | {
      readonly type: 'resource';
      readonly resource: { readonly uri: string; readonly blob: string; readonly mimeType: string };
    };

export interface PromptAbilities {
  readonly image: boolean;
  readonly embeddedContext: boolean;
}

/**
 * The text first, then each attachment in the best form that the agent takes: text is embedded or written out, a file
 * is a link (with its lines, if chosen, as text), an image is one where images are taken, other bytes are embedded, and
 * what an agent does not take is named.
 */
export async function toPrompt(
  text: string,
  attachments: readonly Attachment[],
  abilities: PromptAbilities,
  files: SessionFiles,
): Promise<readonly PromptBlock[]> {
  const blocks: PromptBlock[] = [{ type: 'text', text }];
  for (const attachment of attachments) {
    switch (attachment.kind) {
      case 'text':
        blocks.push(embedded(addressOf(attachment), attachment.label, attachment.text, abilities));
        break;
      case 'data':
        blocks.push(dataBlock(attachment, abilities));
        break;
      case 'file': {
        const uri = pathToFileURL(attachment.path).href;
        if (!attachment.lines) blocks.push({ type: 'resource_link', uri, name: basename(attachment.path) });
        else {
          const [from, to] = attachment.lines;
          const lines = (await files.readText(attachment.path))
            .split('\n')
            .slice(from - 1, to)
            .join('\n');
          blocks.push(embedded(`${uri}#L${from}-L${to}`, attachment.label, lines, abilities));
        }
      }
    }
  }
  return blocks;
}

export const introduce = (customAgent: NonNullable<TurnRequest['customAgent']>): PromptBlock => ({
  type: 'text',
  text: roleFor(customAgent),
});

function dataBlock(attachment: Extract<Attachment, { kind: 'data' }>, abilities: PromptAbilities): PromptBlock {
  const { label, base64, contentType } = attachment;
  if (abilities.image && contentType.startsWith('image/'))
    return { type: 'image', data: base64, mimeType: contentType };
  if (abilities.embeddedContext && !contentType.startsWith('image/'))
    return { type: 'resource', resource: { uri: addressOf(attachment), blob: base64, mimeType: contentType } };
  const text = `(The attachment ${label} was left out because this agent does not accept the content type ${contentType}.)`;
  return { type: 'text', text };
}

const addressOf = ({ label }: Attachment): string => `attachment:///${encodeURIComponent(label)}`;

function embedded(uri: string, label: string, text: string, abilities: PromptAbilities): PromptBlock {
  if (abilities.embeddedContext) return { type: 'resource', resource: { uri, text, mimeType: 'text/plain' } };
  return { type: 'text', text: `\n${label}:\n\`\`\`\n${text}\n\`\`\`\n` };
}
