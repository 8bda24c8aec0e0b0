import { html, nothing, type TemplateResult } from 'lit';
import { t } from '../../../shared/l10n.ts';
import type { Query } from '../../api.ts';
import { addDays } from '../../kit/format.ts';
import { input, type Option, select } from '../../kit/select.ts';
import { suggest } from '../../kit/suggest.ts';

export interface UsageFilter {
  /** YYYY-MM-DD, UTC, both inclusive. */
  readonly start_date: string;
  readonly end_date: string;
  /** Hash of a key; empty for all. */
  readonly api_key: string;
  readonly key_alias: string;
  readonly team_id: string;
  readonly tag: string;
}

export interface FilterSpec {
  readonly filter: UsageFilter;
  readonly today: string;
  readonly teams: readonly Option[];
  /** Only the sums by endpoint are kept by team and tag. */
  readonly isByEndpoint: boolean;
  readonly keyError: string | undefined;
  readonly findKey: (text: string) => Promise<readonly Option[]>;
  readonly change: (query: Query) => void;
  readonly changeKey: (alias: string) => void;
}

const ranges = [7, 30, 90] as const;

export function drawFilters({
  filter,
  today,
  teams,
  isByEndpoint,
  keyError,
  findKey,
  change,
  changeKey,
}: FilterSpec): TemplateResult {
  const days = ranges.find((it) => filter.end_date === today && filter.start_date === addDays(today, 1 - it));
  const range = (value: string) =>
    change(value === '' ? {} : { start_date: addDays(today, 1 - Number(value)), end_date: today });
  return html`<div class="filters" role="search" aria-label=${t('Filters')}>
    ${select(
      t('Period'),
      days === undefined ? '' : String(days),
      [
        ...ranges.map((it) => ({ value: String(it), label: t('Last {0} days', it) })),
        { value: '', label: t('Custom range') },
      ],
      range,
    )}
    ${input(t('From'), filter.start_date, (start_date) => change({ start_date }), { type: 'date' })}
    ${input(t('To'), filter.end_date, (end_date) => change({ end_date }), { type: 'date' })}
    <div>
      ${suggest({ label: t('Key'), value: filter.key_alias, placeholder: t('All keys'), find: findKey, change: changeKey })}
      ${keyError ? html`<small class="wrong" role="alert">${keyError}</small>` : nothing}
    </div>
    ${
      isByEndpoint
        ? html`${select(t('Team'), filter.team_id, [{ value: '', label: t('All teams') }, ...teams], (team_id) => change({ team_id }))}
          ${input(t('Tag'), filter.tag, (tag) => change({ tag }), { placeholder: t('All tags') })}`
        : nothing
    }
  </div>`;
}
