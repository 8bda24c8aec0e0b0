import type { AlertMessage } from '../../../../protocol/gateway/alerts/event.ts';
import { footOf, linesOf, titleOf } from '../words.ts';

/** The longest text of a section. */
const SECTION = 3_000;

/** The three characters that mean something in Slack's text. */
const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

/** For an incoming webhook of Slack. */
export function slackBody(message: AlertMessage): string {
  const title = titleOf(message);
  const [first = '', ...more] = linesOf(message).map(escaped);
  const text = [first, ...more].map((it) => `• ${it}`).join('\n');
  const shown = text.length > SECTION ? `${text.slice(0, SECTION - 1)}…` : text;
  return JSON.stringify({
    text: `${title}: ${first}`,
    blocks: [
      { type: 'header', text: { type: 'plain_text', text: title } },
      { type: 'section', text: { type: 'mrkdwn', text: shown, verbatim: true } },
      { type: 'context', elements: [{ type: 'plain_text', text: footOf(message) }] },
    ],
  });
}
