import type { AlertMessage } from '../../../../protocol/gateway/alerts/event.ts';
import { footOf, linesOf, titleOf } from '../words.ts';

/** Text blocks read Markdown: names could make links and lists. */
const escaped = (text: string) => text.replace(/[\\`*_[\]()<>#|~-]/g, '\\$&');

/** For a workflow of Teams that posts Adaptive Cards. */
export function teamsBody(message: AlertMessage): string {
  const block = (text: string, more: object = {}) => ({ type: 'TextBlock', text: escaped(text), wrap: true, ...more });
  const content = {
    $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
    type: 'AdaptiveCard',
    version: '1.4',
    body: [
      block(titleOf(message), { size: 'Large', weight: 'Bolder' }),
      ...linesOf(message).map((it) => block(it)),
      block(footOf(message), { isSubtle: true, size: 'Small' }),
    ],
  };
  const contentType = 'application/vnd.microsoft.card.adaptive';
  return JSON.stringify({ type: 'message', attachments: [{ contentType, contentUrl: null, content }] });
}
