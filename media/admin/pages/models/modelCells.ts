import { html, nothing, type TemplateResult } from 'lit';
import type { ListedModel, ModelUsersAnswer } from '../../../../sidecar/protocol/gateway/answers.ts';
import type { PriceSource } from '../../../../sidecar/protocol/gateway/model.ts';
import { providedModel } from '../../../../sidecar/protocol/gateway/modelProviders/index.ts';
import { t } from '../../../shared/l10n.ts';
import { count, none, percent, price } from '../../kit/format.ts';
import { go, recordLink } from '../../kit/links.ts';
import { badge, nameCell } from '../../records/cells.ts';
import { type ModelRow, shareOf } from './modelRows.ts';
import { hostOf, networkOf } from './network.ts';

/** @param open opens the form of a backend that shares its name */
export function modelCell(row: ModelRow, open: () => void): TemplateResult {
  const { name, backends, backend } = row;
  if (!backend)
    return html`<span class="named is-model">${recordLink('model', name, name)}<small class="muted">${t('{0} backends share its calls', backends.length)}</small></span>`;
  const model = backend.gateway_params?.model;
  if (backends.length === 1)
    return html`<span class="is-model">${nameCell(name, model, () => go({ page: 'models', id: name }))}</span>`;
  const share = t('{0} of the calls', percent(shareOf(backend, backends) * 100));
  return html`<span class="nested is-model">${nameCell(model ?? name, share, open)}</span>`;
}

/** Who serves a backend, and where. */
export function providerCell({ backend }: ModelRow): TemplateResult | string {
  if (!backend?.gateway_params) return '';
  const { model, allow_private_network } = backend.gateway_params;
  const label = providedModel(model)?.definition.label ?? t('Unknown provider');
  const where = { machine: t('This machine'), private: t('Private network'), named: undefined }[
    networkOf(backend.address)
  ];
  const allowed = where ?? (allow_private_network ? t('Private addresses allowed') : undefined);
  const host = hostOf(backend.address) ?? none;
  return html`<span class="named is-whole"><span>${label}</span><small class="cut muted" title=${host}>${host}</small>
    ${allowed ? html`<small class="muted">${allowed}</small>` : nothing}</span>`;
}

/** In US dollars per million tokens, with the source of the prices. */
export function priceCell({ backend }: ModelRow): TemplateResult | string {
  if (!backend?.gateway_params) return '';
  const { prices, gateway_params } = backend;
  if (!prices) {
    const isPattern = gateway_params.model.endsWith('*');
    return html`<span class="muted">${isPattern ? t('Depends on the model') : t('Not known')}</span>`;
  }
  const { higher_above } = prices;
  const more = higher_above ? t('Higher above {0} input tokens', count(higher_above)) : undefined;
  return html`<span class="named is-whole"><span>${t('{0} in, {1} out', price(prices.input), price(prices.output))}</span>
    <small class="muted">${sourceWords(prices)}</small>${more ? html`<small class="muted">${more}</small>` : nothing}</span>`;
}

export const sourceWords = ({ source, date }: PriceSource): string =>
  source === 'model' ? t('Set for this model') : t('Price table, {0}', date ?? none);

/** The status of a backend at the replica that answered. */
export function healthCell({ backend }: ModelRow): TemplateResult | string {
  const health = backend?.health;
  if (!health) return '';
  switch (health.status) {
    case 'ready':
      return badge('good', 'pass', t('Working'));
    case 'full':
      return badge('warn', 'watch', t('Limit reached'));
    case 'cooling_down': {
      const failures = health.failures === 1 ? t('1 failure') : t('{0} failures in a row', count(health.failures));
      const until = t('{0}. Avoided until {1}.', failures, health.ready_at?.slice(11, 19) ?? none);
      return html`${badge('bad', 'error', t('Failing'))}<small class="reason">${until}</small>`;
    }
    case 'unknown':
      return badge('quiet', 'circle-outline', t('Not called yet'));
  }
}

/** The numbers of teams and keys that can use a model, as a button that lists them. */
export function usersCell(
  row: ModelRow,
  users: ModelUsersAnswer | undefined,
  open: () => void,
): TemplateResult | string {
  if (!users || !isFirst(row)) return '';
  const { team_count, key_count } = users;
  const teams = team_count === 1 ? t('1 team') : t('{0} teams', count(team_count));
  const keys = key_count === 1 ? t('1 key') : t('{0} keys', count(key_count));
  return html`<button type="button" class="link" aria-label=${t('Who can use {0}: {1}, {2}', row.name, teams, keys)} @click=${open}>${teams}<br />${keys}</button>`;
}

/** Whether a row is the first of its name. This row shows what applies to all backends with the name. */
export const isFirst = ({ backend, backends }: ModelRow): boolean => !backend || backends.length === 1;

/** The text that a search for a backend compares. */
export function searchedWords({ model_name, gateway_params, address }: ListedModel): string {
  const provided = gateway_params && providedModel(gateway_params.model);
  return `${model_name} ${gateway_params?.model ?? ''} ${provided?.definition.label ?? ''} ${hostOf(address) ?? ''}`;
}
