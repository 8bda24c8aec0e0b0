import { html } from 'lit';
import type { McpServerAnswer } from '../../../../sidecar/protocol/gateway/answers.ts';
import { t } from '../../../shared/l10n.ts';
import type { FormGroup } from '../../form/formSpec.ts';
import type { Session } from '../../kit/adminElement.ts';
import { type Lookups, readLookups } from '../../records/lookups.ts';
import { openForm } from '../../records/openForm.ts';
import { transportOf } from './apiFields.ts';
import { draftApi } from './apiPreview.ts';
import { groupsOfServer, serverBody } from './serverForm.ts';

export const serverName = (it: McpServerAnswer): string => it.alias || it.server_name || it.server_id;

/** What the form of a stored server asks for. */
export const groupsOfRow = (row: McpServerAnswer, lookups: Lookups): readonly FormGroup[] =>
  groupsOfServer(
    { transport: transportOf(row), authType: row.auth_type ?? 'none', flow: row.oauth2_flow ?? '' },
    lookups,
  );

/** Adds a server, or changes one. @param saved called with what to say of it */
export async function openServerForm(
  session: Session,
  row: McpServerAnswer | undefined,
  saved: (words: string) => Promise<void>,
): Promise<void> {
  const { routes } = session;
  const lookups = await readLookups(routes);
  openForm(row ? t('Edit "{0}"', serverName(row)) : t('Add server'), {
    submitLabel: row ? t('Save') : t('Add'),
    groups: (current): readonly FormGroup[] =>
      groupsOfServer(
        {
          transport: String(current('transport')),
          authType: String(current('auth_type')),
          flow: String(current('oauth2_flow')),
        },
        lookups,
        html`<admin-api-preview .session=${session} .draft=${draftApi(current)}></admin-api-preview>`,
      ),
    // A record that does not name its auth type has none; the form requires one.
    ...(row
      ? { kept: { ...row, transport: transportOf(row), auth_type: row.auth_type ?? 'none' } }
      : { initial: { transport: 'http', auth_type: 'none' } }),
    submit: async (body) => {
      if (row) await routes.updateServer({ ...serverBody(body, row), server_id: row.server_id });
      else await routes.createServer(serverBody(body));
      await saved(row ? t('{0} was saved', serverName(row)) : t('The server was added'));
    },
  });
}
