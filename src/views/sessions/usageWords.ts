import type { SessionSummary } from '../../../sidecar/protocol/channels/session/schema.ts';
import { type ModelTotal, SessionUsage } from '../../../sidecar/protocol/usageMeta.ts';
import { visibleText } from '../../../sidecar/protocol/visibleText.ts';
import { moneyText, shortCount } from '../../platform/counts.ts';
import type { Localizer } from '../../platform/localizer.ts';

/** Models with a line of their own in the hover card. */
const MAX_LINES = 6;

type Usage = Pick<SessionSummary, '_meta'>;

function usageOf({ _meta }: Usage): SessionUsage {
  return SessionUsage.safeParse(_meta?.['usage']).data ?? { recorded: [], reported: [] };
}

/** For a row: the cost, or the tokens if no cost is known. What agents report is marked as such. */
export function shortUsage(l10n: Localizer, summary: Usage): string {
  const { recorded, reported } = usageOf(summary);
  const shown = (all: readonly ModelTotal[]) => {
    const tokens = all.reduce((sum, it) => sum + it.inputTokens + it.outputTokens, 0);
    return costText(all) || (tokens === 0 ? '' : l10n.t('{0} tokens', shortCount(tokens)));
  };
  const byAgent = shown(reported);
  return [shown(recorded), byAgent === '' ? '' : l10n.t('{0} reported', byAgent)].filter((it) => it !== '').join(' + ');
}

/** For the hover card: cost and tokens with their source. If there are several models, also both for each model. */
export function usageLines(l10n: Localizer, summary: Usage): (readonly [name: string, value: string])[] {
  const { recorded, reported } = usageOf(summary);
  const told = (recordedText: string, reportedText: string) =>
    [
      ...(recordedText === '' ? [] : [l10n.t('{0} (recorded by the gateway)', recordedText)]),
      ...(reportedText === '' ? [] : [l10n.t('{0} (reported by the agent)', reportedText)]),
    ].join(', ');
  const named = [...recorded, ...reported].filter((it) => it.model !== '');
  const isSeveral = named.length > 1 || named.some((it) => it.subAgent);
  const byTokens = (one: ModelTotal, other: ModelTotal) => inAndOut(other) - inAndOut(one);
  return [
    [l10n.t('Models'), recorded.length > 0 ? l10n.t('Through the gateway') : ''],
    [l10n.t('Cost'), told(costText(recorded), costText(reported))],
    [l10n.t('Tokens'), told(tokensText(l10n, recorded), tokensText(l10n, reported))],
    ...(isSeveral ? named.toSorted(byTokens).slice(0, MAX_LINES) : []).map((it) => {
      const model = visibleText(it.model);
      const name = it.subAgent ? l10n.t('{0} (sub-agents)', model) : model;
      return [name, [tokensText(l10n, [it]), costText([it])].filter((text) => text !== '').join(' · ')] as const;
    }),
  ];
}

const inAndOut = ({ inputTokens, outputTokens }: ModelTotal) => inputTokens + outputTokens;

function tokensText(l10n: Localizer, all: readonly ModelTotal[]): string {
  const input = all.reduce((sum, it) => sum + it.inputTokens, 0);
  const output = all.reduce((sum, it) => sum + it.outputTokens, 0);
  return input + output === 0 ? '' : l10n.t('{0} input, {1} output', shortCount(input), shortCount(output));
}

/** By currency, which can be a unit of the agent's own; empty if no cost is known. */
function costText(all: readonly ModelTotal[]): string {
  const byCurrency = new Map<string, number>();
  for (const { cost } of all)
    if (cost && cost.amount > 0) byCurrency.set(cost.currency, (byCurrency.get(cost.currency) ?? 0) + cost.amount);
  return [...byCurrency]
    .map(([currency, amount]) =>
      currency === 'USD' ? moneyText(amount) : `${amount.toFixed(2)} ${visibleText(currency)}`,
    )
    .join(' + ');
}
