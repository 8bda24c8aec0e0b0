import * as vscode from 'vscode';
import type { RootState } from '../../sidecar/protocol/channels/root/schema.ts';
import type { SessionState } from '../../sidecar/protocol/channels/session/schema.ts';
import { ROOT } from '../../sidecar/protocol/uris.ts';
import type { ChannelView, HostPort } from '../client/port.ts';
import { whenShown } from '../client/whenShown.ts';
import { openForm } from '../forms/openForm.ts';

/** What can be set for the host as a whole. */
export async function configureHost(port: HostPort): Promise<void> {
  await follow<RootState>(port, ROOT, async (view) => {
    const title = vscode.l10n.t('Host Configuration');
    await openForm({
      title,
      read: () => {
        const { schema = { properties: {} }, values = {} } = view.shown?.config ?? {};
        return [
          {
            title,
            schema,
            values,
            mayChange: (field) => field.readOnly !== true,
            change: async (id, value) => port.dispatch(ROOT, { type: 'root/configChanged', config: { [id]: value } }),
          },
        ];
      },
    });
  });
}

/** What can be set for a session that is there. */
export async function configureSession(port: HostPort, session: string): Promise<void> {
  await follow<SessionState>(port, session, async (view) => {
    const title = vscode.l10n.t('Session Options');
    if (Object.keys(view.shown?.config?.schema.properties ?? {}).length === 0) {
      await vscode.window.showInformationMessage(vscode.l10n.t("This session's agent has no options."));
      return;
    }
    await openForm({
      title,
      read: () => {
        const { schema = { properties: {} }, values = {} } = view.shown?.config ?? {};
        return [
          {
            title,
            schema,
            values,
            mayChange: (field) => field.readOnly !== true && field.sessionMutable === true,
            change: async (id, value) =>
              port.dispatch(session, { type: 'session/configChanged', config: { [id]: value } }),
            async complete(property, query) {
              const provider = view.shown?.provider;
              const [workingDirectory] = view.shown?.workingDirectories ?? [];
              const { items } = await port.request('sessionConfigCompletions', {
                channel: ROOT,
                property,
                query,
                config: values,
                ...(provider !== undefined && { provider }),
                ...(workingDirectory !== undefined && { workingDirectory }),
              });
              return items;
            },
          },
        ];
      },
    });
  });
}

/** Holds the channel while the person looks at what it says. */
async function follow<S>(port: HostPort, uri: string, look: (view: ChannelView<S>) => Promise<void>): Promise<void> {
  const view = port.open<S>(uri, { turns: 1 });
  try {
    await whenShown<S>(port, uri);
    await look(view);
  } finally {
    view.dispose();
  }
}
