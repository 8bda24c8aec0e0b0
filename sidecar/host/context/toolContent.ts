import type { ToolContent } from '../../agents/provider.ts';
import type { ToolResultContent } from '../../protocol/channels/chat/toolCalls.ts';
import type { ContentRef } from '../../protocol/shared.ts';

/** Longer output is kept as content and referred to; its end stays in the chat. */
const MAX_CHARACTERS = 64 * 1024;
const SHOWN_CHARACTERS = 4 * 1024;

export type KeepBytes = (fileName: string, bytes: Uint8Array) => Promise<ContentRef>;

/** The output of a tool as it is while the tool runs: the end of it. */
export function toRunningContent(content: readonly ToolContent[]): ToolResultContent[] {
  return content.map((it) =>
    toResultContent(it.kind === 'text' ? { ...it, text: it.text.slice(-MAX_CHARACTERS) } : it),
  );
}

/** The whole output of a tool that ended; what is large stands by reference. */
export async function toEndedContent(content: readonly ToolContent[], keep: KeepBytes): Promise<ToolResultContent[]> {
  const kept = content.map(async (it): Promise<ToolResultContent[]> => {
    if (it.kind === 'text') {
      if (it.text.length <= MAX_CHARACTERS) return [toResultContent(it)];
      const whole = await keep('output.txt', Buffer.from(it.text, 'utf8'));
      const shown = toResultContent({ kind: 'text', text: it.text.slice(-SHOWN_CHARACTERS) });
      return [{ type: 'resource', ...whole, contentType: 'text/plain' }, shown];
    }
    if (it.kind === 'terminal') return [toResultContent(it)];
    if (it.base64.length <= MAX_CHARACTERS) return [toResultContent(it)];
    const whole = await keep('output', Buffer.from(it.base64, 'base64'));
    return [{ type: 'resource', ...whole, contentType: it.contentType }];
  });
  return (await Promise.all(kept)).flat();
}

/** What hooks get of an output: the end of its text. */
export function textOf(content: readonly ToolContent[]): string {
  const texts = content.flatMap((it) => {
    if (it.kind === 'terminal') return it.terminal.result ? [it.terminal.result.preview] : [];
    return it.kind === 'text' ? [it.text] : [];
  });
  return texts.join('\n').slice(-MAX_CHARACTERS);
}

function toResultContent(content: ToolContent): ToolResultContent {
  if (content.kind === 'terminal') return { type: 'terminal', ...content.terminal };
  return content.kind === 'text'
    ? { type: 'text', text: content.text }
    : { type: 'embeddedResource', data: content.base64, contentType: content.contentType };
}
