import * as vscode from 'vscode';
import { Attention } from '../client/attention.ts';
import { SessionCatalogue } from '../client/catalogue.ts';
import { HostClient } from '../client/hostClient.ts';
import type { Host, NewPlace } from '../client/hosts.ts';
import { commandIds, settingIds } from '../manifest/manifest.ts';
import { now } from '../platform/clock.ts';
import { onCommand } from '../platform/commandHandlers.ts';
import { loadBundle } from '../platform/loadBundle.ts';
import { fromHost } from '../platform/localizer.ts';
import type { RemoteHosts, RemoteHostsDeps } from './remoteHosts.ts';

type Deps = Omit<RemoteHostsDeps, 'makeHost' | 'list' | 'save'> & {
  /** The absolute path of `dist/remote.cjs`. */
  readonly bundle: string;
};
export interface RemoteHostsDoor extends vscode.Disposable {
  elsewhere(address: string): Host;
  choosePlace(row: unknown): Promise<NewPlace | undefined>;
}
type RemoteModule = { readonly RemoteHosts: typeof RemoteHosts };

/** Hosts elsewhere. What they need is loaded when the setting names one, or a person attaches to the first. */
export function registerRemoteHosts({ bundle, ...deps }: Deps): RemoteHostsDoor {
  const { config } = deps;
  let opened: RemoteHosts | undefined;
  const open = (): RemoteHosts => {
    opened ??= new (loadBundle<RemoteModule>(bundle, 'RemoteHosts').RemoteHosts)({
      ...deps,
      list: () => config.settings.remoteHosts,
      save: async (list) => {
        await vscode.workspace
          .getConfiguration()
          .update(settingIds.remoteHosts, list, vscode.ConfigurationTarget.Global);
      },
      makeHost: (about) => makeHost(about, deps.warn),
    });
    return opened;
  };
  const follow = () => {
    if (config.trusted && (opened || config.settings.remoteHosts.length > 0)) open().follow();
  };
  follow();
  const on = (command: string, run: (commands: RemoteHosts['commands'], argument: unknown) => unknown) =>
    onCommand(command, (argument: unknown) => run(open().commands, argument));
  const parts = vscode.Disposable.from(
    config.onDidChange(follow),
    on(commandIds.attachHost, (it) => it.attach()),
    on(commandIds.detachHost, (it, row) => it.detach(row)),
    on(commandIds.enterHostToken, (it, row) => it.enterToken(row)),
    on(commandIds.retryHost, (it, row) => it.retry(row)),
    { dispose: () => opened?.dispose() },
  );
  return {
    elsewhere: (address) => open().elsewhere(address),
    choosePlace: async (row) => (opened ? opened.commands.choosePlace(row) : {}),
    dispose: () => parts.dispose(),
  };
}

/** The same engine as for the host of this machine, over another connection. */
function makeHost({ id, nameOf, connect }: Parameters<RemoteHostsDeps['makeHost']>[0], warn: Deps['warn']): Host {
  const client = new HostClient({
    clientId: crypto.randomUUID(),
    now,
    connect,
    warn,
    translate: (text) => fromHost(vscode.l10n, text),
  });
  client.onDidReject(({ reason }) => {
    vscode.window.setStatusBarMessage(vscode.l10n.t('The host rejected the change: {0}', reason), 5000);
  });
  const catalogue = new SessionCatalogue(client, warn);
  const attention = new Attention(client, catalogue);
  return {
    id,
    get name() {
      return nameOf();
    },
    client,
    catalogue,
    attention,
  };
}
