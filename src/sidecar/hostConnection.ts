import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import * as vscode from 'vscode';
import type { Build } from '../../sidecar/protocol/hostInfo.ts';
import { hostNotifications } from '../../sidecar/protocol/methods.ts';
import { ROOT } from '../../sidecar/protocol/uris.ts';
import { HostClient } from '../client/hostClient.ts';
import type { Tap } from '../client/tap.ts';
import type { WindowConfig } from '../config/windowConfig.ts';
import { now } from '../platform/clock.ts';
import { loadBundle } from '../platform/loadBundle.ts';
import { fromHost } from '../platform/localizer.ts';
import { askEditorModel } from './askEditorModel.ts';
import { EditorModelCalls } from './editorModelCalls.ts';
import { initializeParams } from './initializeParams.ts';
import type { RelayModule } from './relay.ts';
import { Supervisor } from './supervisor.ts';

export interface HostConnectionDeps {
  readonly config: WindowConfig;
  readonly log: vscode.LogOutputChannel;
  readonly build: Build;
  /** Where the extension is installed. */
  readonly extensionPath: string;
  /** Where the host keeps its data: the extension's global storage. */
  readonly dataDir: string;
}

export interface HostConnection extends vscode.Disposable {
  readonly client: HostClient;
  readonly supervisor: Supervisor;
  /** Of all connections. */
  readonly tap: Tap;
}

/** The host as this window sees it: a client over relays that come and go. Starts nothing until it is needed. */
export function openHostConnection({ config, log, build, extensionPath, dataDir }: HostConnectionDeps): HostConnection {
  const clientId = randomUUID();
  const tap: Tap = {};
  const models = new EditorModelCalls(askEditorModel);
  const supervisor = new Supervisor({
    log,
    mayStart: () => config.trusted,
    attach: (relay) => client.attach(relay),
    // Takes 60 ms to load, so it is loaded when the host is needed and not when the extension starts.
    open: () =>
      loadBundle<RelayModule>(join(extensionPath, 'dist', 'languageclient.cjs'), 'openRelay').openRelay({
        modulePath: join(extensionPath, 'dist', 'sidecar', 'main.mjs'),
        dataDir,
        limits: config.settings.limits,
        tap,
        log,
        notifications: Object.keys(hostNotifications),
        requests: { 'x-switchboard/editorModelCall': (params, token) => models.answer(params, token) },
        initializeParams: initializeParams(clientId, build.version, {
          build,
          window: config.windowInfo(),
          knowsSchema: true,
        }),
      }),
  });
  const client: HostClient = new HostClient({
    clientId,
    now,
    connect: () => supervisor.connected(),
    warn: (message) => log.warn(message),
    translate: (text) => fromHost(vscode.l10n, text),
  });
  const parts = vscode.Disposable.from(
    config.onDidChange(() =>
      client.notify('x-switchboard/windowChanged', { channel: ROOT, window: config.windowInfo() }),
    ),
    client,
    supervisor,
    client.onDidDisconnect(() => models.cancelAll()),
  );
  return { client, supervisor, tap, dispose: () => parts.dispose() };
}
