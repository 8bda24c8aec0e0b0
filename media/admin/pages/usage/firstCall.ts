import { html, nothing, type TemplateResult } from 'lit';
import { t } from '../../../shared/l10n.ts';
import { isAdministrator, type Session } from '../../kit/adminElement.ts';
import { copyable } from '../../kit/copyable.ts';
import { pageLinks } from '../../kit/links.ts';
import { emptyState } from '../../kit/notice.ts';

/** No call yet: how the first one is made. */
export function firstCall(session: Session, isFiltered: boolean): TemplateResult {
  if (isFiltered) return emptyState('filter', t('No calls'), t('No calls in this period match the filters.'));
  const { place } = session;
  const baseUrl = place.baseUrl();
  const command = `curl ${baseUrl}/mcp-rest/tools/list -H "x-gateway-api-key: Bearer $KEY"`;
  return emptyState(
    'graph',
    t('No calls yet'),
    html`${
      isAdministrator(session)
        ? pageLinks([
            [{ page: 'keys' }, t('Create a virtual key')],
            [{ page: 'mcp_servers' }, t('Add an MCP server')],
            [{ page: 'agents' }, t('Add an agent')],
          ])
        : nothing
    }
      <p>${t('Connect a client to {0}, or make the first call in a terminal:', `${baseUrl}/mcp`)}</p>
      ${copyable(place, t('First call'), command)}`,
  );
}
