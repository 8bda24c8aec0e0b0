import { html, nothing, type TemplateResult } from 'lit';
import * as z from 'zod';
import type { SpendLog } from '../../../../sidecar/protocol/gateway/activity.ts';
import type { ListedModel } from '../../../../sidecar/protocol/gateway/answers.ts';
import { PriceSource } from '../../../../sidecar/protocol/gateway/model.ts';
import { t } from '../../../shared/l10n.ts';
import { count, none } from '../../kit/format.ts';
import { badge } from '../../records/cells.ts';
import { sourceWords } from '../models/modelCells.ts';
import { hostOf } from '../models/network.ts';

/** What the record of a call to a model contains in addition to its columns. */
const ModelMetadata = z.object({
  attempts: z.array(z.object({ model_id: z.string(), status: z.int().optional(), error: z.string().optional() })),
  prices: PriceSource.optional(),
  /** The response did not report them. */
  tokens: z.literal('unknown').optional(),
});
type ModelMetadata = z.infer<typeof ModelMetadata>;

/** `undefined` for a call that used no model. */
export const modelMetadata = ({ model_group, metadata }: SpendLog): ModelMetadata | undefined =>
  model_group === null ? undefined : ModelMetadata.safeParse(metadata).data;

export function cacheWords({ cache_read_input_tokens: read, cache_creation_input_tokens: written }: SpendLog): string {
  return read === 0 && written === 0
    ? none
    : t('{0} input tokens read, {1} input tokens written', count(read), count(written));
}

export function pricesWords({ prices, tokens }: ModelMetadata): string {
  if (tokens === 'unknown') return t('The response did not report its tokens, so the reserved amount was charged.');
  if (!prices) return t('Not known, so nothing was charged.');
  return sourceWords(prices);
}

/** @param models the registered backends. A deleted backend is shown by its ID. */
export function drawAttempts(
  { attempts }: ModelMetadata,
  models: readonly ListedModel[],
): TemplateResult | typeof nothing {
  if (attempts.length === 0) return nothing;
  return html`<h3>${t('Attempts')}</h3>
    <ol class="attempts">
      ${attempts.map(({ model_id, status, error }) => {
        const found = models.find((it) => it.model_id === model_id);
        const name = found?.gateway_params?.model ?? model_id;
        const host = hostOf(found?.address);
        const isGood = status !== undefined && status < 400;
        const words = status === undefined ? (error ?? t('No response')) : `HTTP ${status}`;
        return html`<li><span class="named"><span>${name}</span>${host ? html`<small class="muted">${host}</small>` : nothing}</span>
          ${isGood ? badge('good', 'pass', words) : badge('bad', 'error', words)}</li>`;
      })}
    </ol>`;
}
