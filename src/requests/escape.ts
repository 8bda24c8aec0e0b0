import type { AnswerClaim } from '../client/answerIds.ts';

/** Characters of agent text in one notification. */
export const MAX_TITLE_TEXT = 200;

/**
 * Agent text for the title of a notification. A title has no escape character: whoever brings `[x](command:…)` along
 * would get a link that runs a command, so brackets become their wide forms, backticks straight quotes, and breaks spaces.
 */
export function escapeTitle(text: string, maxLength = MAX_TITLE_TEXT): string {
  const plain = text
    .replaceAll('[', '［')
    .replaceAll(']', '］')
    .replaceAll('`', "'")
    .replace(/[\s\p{Cc}\p{Cf}]+/gu, ' ')
    .trim();
  const characters = Array.from(plain);
  return characters.length <= maxLength ? plain : `${characters.slice(0, maxLength - 1).join('')}…`;
}

/** A link for the title of a notification. The only argument is what names a request, if any; the label is ours. */
export function commandLink(label: string, command: string, request?: string | AnswerClaim): string {
  if (request === undefined) return `[${label}](command:${command})`;
  const argument = encodeURIComponent(JSON.stringify([request])).replace(
    /[!'()*]/g,
    (it) => `%${it.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `[${label}](command:${command}?${argument})`;
}
