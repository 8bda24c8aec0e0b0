import { html, type TemplateResult } from 'lit';
import { t } from '../../shared/l10n.ts';
import { pageLink } from '../kit/links.ts';
import { dataTable } from '../kit/table.ts';
import { healthCell, priceCell, providerCell } from '../pages/models/modelCells.ts';
import type { ModelGroup, ModelRow } from '../pages/models/modelRows.ts';

/** The backends that serve a model. */
export function drawBackends(group: ModelGroup): TemplateResult {
  const rows = group.backends.map((backend): ModelRow => ({ ...group, backend }));
  const idOf = ({ backend }: ModelRow): string => backend?.model_id ?? '';
  return html`<section class="card"><h2>${t('Backends')}</h2>
    ${dataTable<ModelRow>({
      label: t('Backends'),
      rows,
      idOf,
      isLoading: false,
      empty: html``,
      columns: [
        {
          name: t('Model of the provider'),
          isWide: true,
          cell: (it) =>
            pageLink({ page: 'models', search: it.name, edit: idOf(it) }, it.backend?.gateway_params?.model ?? it.name),
        },
        { name: t('Provider'), cell: providerCell },
        { name: t('Price per 1M tokens'), cell: priceCell },
        { name: t('Status'), cell: healthCell },
      ],
    })}
  </section>`;
}
