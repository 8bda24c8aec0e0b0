import type { LineAuthor, LineAuthorsResult } from '../../../sidecar/protocol/channels/changeset/lineAuthors.ts';
import { shortAge } from '../../platform/ages.ts';
import type { Localizer } from '../../platform/localizer.ts';

export interface AuthorContext {
  readonly nowMs: number;
  /** The display name of an agent; its id where nobody says it. */
  readonly agentName: (provider: string) => string;
}

const MOST_PROMPT = 200;

export function authorAt({ ranges, authors }: LineAuthorsResult, line: number): LineAuthor | undefined {
  const range = ranges.find((it) => it.start <= line && line < it.end);
  return range && authors[range.author];
}

/** Behind the first line of what somebody wrote. */
export function noteOf(l10n: Localizer, author: LineAuthor, { nowMs, agentName }: AuthorContext): string {
  const title = author.title || l10n.t('New session');
  return [agentName(author.provider), title, shortAge(l10n, author.at, nowMs)].join(' · ');
}

/** Lines of a card, as plain text. */
export function factsOf(
  l10n: Localizer,
  author: LineAuthor,
  { nowMs, agentName }: AuthorContext,
): readonly (readonly [name: string, value: string])[] {
  const { title, provider, model, prompt, tool, at } = author;
  const approval = tool ? approvalOf(l10n, tool) : l10n.t('not known: the agent did not report this edit');
  const rows: readonly (readonly [string, string])[] = [
    [l10n.t('Session'), title || l10n.t('New session')],
    [l10n.t('Agent'), agentName(provider)],
    [l10n.t('Model'), model ?? ''],
    [l10n.t('Prompt'), prompt.length > MOST_PROMPT ? `${prompt.slice(0, MOST_PROMPT - 1)}…` : prompt],
    [l10n.t('Tool'), tool?.name ?? ''],
    [l10n.t('Approval'), approval],
    [l10n.t('Written'), l10n.t('{0} ago', shortAge(l10n, at, nowMs))],
  ];
  return rows.filter(([, value]) => value !== '');
}

function approvalOf(l10n: Localizer, { confirmed, answer }: NonNullable<LineAuthor['tool']>): string {
  switch (confirmed) {
    case 'user-action':
      return answer === undefined ? l10n.t('by a person') : l10n.t('by a person: {0}', answer);
    case 'setting':
      return l10n.t('by a rule');
    case 'not-needed':
      return l10n.t('not required');
    default:
      return l10n.t('not known');
  }
}
