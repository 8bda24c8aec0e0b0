import { existsSync } from 'node:fs';
import { join } from 'node:path';
import * as vscode from 'vscode';
import type { Tools } from '../activation/toolsStub.ts';
import type { HostPort } from '../client/port.ts';
import { settingIds } from '../manifest/manifest.ts';
import { now } from '../platform/clock.ts';
import { whyOf } from '../platform/whyOf.ts';
import { GatewayClient } from './client.ts';
import type { ParseJsonc } from './commands/editorFile.ts';
import { registerGatewayCommands } from './commands/register.ts';
import { type GatewayAddress, GatewayDoor } from './door.ts';
import { editorTools } from './editorTools.ts';
import type { GatewayModule } from './gatewayModule.ts';
import { GatewayModel } from './model.ts';
import type { GatewayRoutes } from './routes.ts';
import { GatewaySecrets } from './secrets.ts';

export interface GatewayPartsDeps {
  readonly port: HostPort;
  readonly secrets: vscode.SecretStorage;
  /** Where the host and its gateway keep their data. */
  readonly dataDir: string;
  readonly settings: () => {
    readonly gatewayEnabled: boolean;
    readonly allowedCommands: readonly string[];
  };
  readonly onDidChangeSettings: (listener: () => void) => vscode.Disposable;
  /** A read-only document. */
  readonly show: (title: string, text: string) => Promise<void>;
  readonly openDashboard: (query?: string) => void;
  /** The title of a session; empty if the session is not known or has none. */
  readonly titleOf: (session: string) => string;
  /** Fetched with the first file that is read. */
  readonly parseJsonc: () => ParseJsonc;
  /** Loaded with the first command, or the first request to the gateway. */
  readonly code: () => GatewayModule;
  /** Has the editor's MCP client ask again. */
  readonly toolsChanged: () => void;
  readonly warn: (message: string) => void;
}

/** The gateway as a window uses it. */
export interface GatewayParts extends vscode.Disposable {
  readonly client: GatewayClient;
  readonly view: GatewayView;
  readonly refresh: () => Promise<void>;
  readonly tools: Tools;
  readonly address: () => Promise<GatewayAddress>;
}

/** What the Gateway view draws. */
export type GatewayView = Pick<GatewayModel, 'picture' | 'problem' | 'loaded' | 'look' | 'tools'> & {
  readonly isAvailable: boolean;
  /** True where every row has to be asked for again. */
  readonly onDidChange: vscode.Event<boolean>;
};

/** Starts nothing until something of it is needed. */
export function openGateway(deps: GatewayPartsDeps): GatewayParts {
  const { port, settings, show, openDashboard, parseJsonc, dataDir, warn } = deps;
  const { l10n } = vscode;
  const secrets = new GatewaySecrets(deps.secrets, vscode.env.uiKind === vscode.UIKind.Desktop);
  const changed = new vscode.EventEmitter<boolean>();
  const door = new GatewayDoor({
    port,
    own: () => secrets.own(),
    isEnabled: () => settings().gatewayEnabled,
    allowedCommands: () => settings().allowedCommands,
    l10n,
  });
  let known = '';
  const address = async () => {
    const found = await door.address();
    // The gateway itself notifies the editor's client of new tools; where the gateway is, we do.
    if (known !== '' && known !== found.baseUrl) deps.toolsChanged();
    known = found.baseUrl;
    return found;
  };
  const client = new GatewayClient({ door: { address, forget: () => door.forget() }, l10n });
  let loaded: GatewayRoutes | undefined;
  const routes = () => (loaded ??= deps.code().routesOf(client));
  const model = new GatewayModel({
    routes,
    keptKeys: () => secrets.kept(),
    titleOf: (session) => deps.titleOf(session) || l10n.t('New session'),
    day: () => now().slice(0, 10),
    warn,
    changed: (isWhole) => changed.fire(isWhole),
  });
  const parts = vscode.Disposable.from(
    changed,
    door,
    port.onDidConnect(() => void startForSessions()),
    deps.onDidChangeSettings(() => {
      if (!door.isOpen && !model.isLooked) return changed.fire(true);
      door.forget();
      if (settings().gatewayEnabled) void model.refresh();
      else changed.fire(true);
    }),
    registerGatewayCommands(
      {
        get routes() {
          return routes();
        },
        model,
        secrets,
        address,
        mayRun,
        show,
        openDashboard,
        parseJsonc,
        dataDir,
      },
      () => deps.code().gatewayCommands,
    ),
  );

  /** Sessions get tools and models only while the gateway runs. A gateway that has never run has none. */
  async function startForSessions(): Promise<void> {
    if (!settings().gatewayEnabled || !existsSync(join(dataDir, 'gateway.db'))) return;
    await address().catch((thrown: unknown) => warn(whyOf(thrown)));
  }

  async function mayRun(command: string): Promise<boolean> {
    const { allowedCommands } = settings();
    if (allowedCommands.includes(command)) return true;
    const allow = l10n.t('Allow');
    const question = l10n.t(`Allow the gateway's MCP servers to run "{0}" on this machine?`, command);
    const detail = l10n.t(
      'The command will be added to the {0} setting. You can remove it there later.',
      settingIds.allowedCommands,
    );
    if ((await vscode.window.showWarningMessage(question, { modal: true, detail }, allow)) !== allow) return false;
    const configuration = vscode.workspace.getConfiguration();
    const next = [...allowedCommands, command];
    await configuration.update(settingIds.allowedCommands, next, vscode.ConfigurationTarget.Global);
    door.forget();
    return true;
  }

  const tools = editorTools({ routes, secrets, address, warn });
  const view: GatewayView = {
    get picture() {
      return model.picture;
    },
    get problem() {
      return model.problem;
    },
    get isAvailable() {
      return settings().gatewayEnabled && vscode.workspace.isTrusted;
    },
    loaded: () => model.loaded(),
    look: () => model.look(),
    tools: (server) => model.tools(server),
    onDidChange: changed.event,
  };
  return { client, view, refresh: () => model.refresh(), tools, address, dispose: () => parts.dispose() };
}
