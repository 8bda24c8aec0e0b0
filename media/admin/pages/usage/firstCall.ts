import { html, type TemplateResult } from 'lit';
import { t } from '../../../shared/l10n.ts';
import type { Session } from '../../kit/adminElement.ts';
import { copyable } from '../../kit/copyable.ts';
import { emptyState } from '../../kit/notice.ts';

/** No call yet: how the first one is made. */
export function firstCall({ place }: Session, isFiltered: boolean): TemplateResult {
  if (isFiltered) return emptyState('filter', t('No calls'), t('No calls in this period match the filters.'));
  const baseUrl = place.baseUrl();
  const command = `curl ${baseUrl}/mcp-rest/tools/list -H "x-gateway-api-key: Bearer $KEY"`;
  return emptyState(
    'graph',
    t('No calls yet'),
    html`<p>${t('Create a virtual key, add an MCP server or an agent, and connect a client to {0}. Or try it here:', `${baseUrl}/mcp`)}</p>
      ${copyable(place, t('First call'), command)}`,
  );
}
