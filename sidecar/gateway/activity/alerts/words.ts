import type { AlertMessage } from '../../../protocol/gateway/alerts/event.ts';

const titles: Readonly<Record<AlertMessage['type'], string>> = {
  soft_budget_crossed: 'Soft budget exceeded',
  budget_exceeded: 'Budget exceeded',
  server_down: 'MCP server down',
  server_up: 'MCP server up',
  tool_definition_changed: 'Tool definition changed',
  guardrail_block: 'Call blocked by a guardrail',
  error_rate: 'Error rate is high',
  key_expiring: 'Key expires soon',
  certificate_expiring: 'Certificate expires soon',
  test: 'Test alert',
};

/** What a message is about, in a few words. */
export const titleOf = ({ type, count }: AlertMessage): string =>
  count === 1 ? titles[type] : `${titles[type]} (${count})`;

/** A line for each event, the last one for those that are left out. */
export function linesOf({ events, count }: AlertMessage): readonly string[] {
  const lines = events.map((it) => `${it.at.slice(0, 19).replace('T', ' ')} UTC: ${it.message}`);
  const more = count - events.length;
  return more > 0 ? [...lines, `${more} more`] : lines;
}

/** Where it comes from, for the end of a text. */
export const footOf = ({ rule }: AlertMessage): string => `Alert rule: ${rule}`;
