import * as vscode from 'vscode';
import { commandIds } from '../../manifest/manifest.ts';
import { withoutIcons } from '../../platform/withoutIcons.ts';
import { findLocalServers, type LocalServer, localAddresses } from '../localModels.ts';
import { attempt, type GatewayActions } from './actions.ts';

interface Row extends vscode.QuickPickItem {
  readonly server?: LocalServer;
  readonly run?: 'addKey' | 'addAgent';
}

/** How many models a question lists by name. */
const NAMED = 20;

/** Shows where the built-in agent can get a model: local servers, which are looked for now, a provider's key, or another agent. */
export async function connectModel(actions: GatewayActions): Promise<void> {
  const { l10n } = vscode;
  const list = vscode.window.createQuickPick<Row>();
  list.title = l10n.t('Connect a Model');
  list.placeholder = l10n.t('Looking for local models…');
  list.ignoreFocusOut = true;
  list.busy = true;
  list.items = otherWays();
  const picked = new Promise<Row | undefined>((resolve) => {
    list.onDidAccept(() => resolve(list.selectedItems[0]));
    list.onDidHide(() => resolve(undefined));
  });
  list.show();
  void findLocalServers(localAddresses(process.env)).then((found) => {
    list.items = [...found.map(rowOf), ...otherWays()];
    list.placeholder =
      found.length === 0
        ? l10n.t('No local model was found. Start Ollama or LM Studio and run this command again, or add a key.')
        : l10n.t('Select where the models are');
    list.busy = false;
  });
  const row = await picked;
  list.dispose();
  if (row?.server) await addServer(actions, row.server);
  else if (row?.run === 'addKey') actions.openDashboard('page=models');
  else if (row?.run === 'addAgent') await vscode.commands.executeCommand(commandIds.addRegistryAgent);
}

function otherWays(): Row[] {
  const { l10n } = vscode;
  return [
    { label: '', kind: vscode.QuickPickItemKind.Separator },
    {
      label: l10n.t('Add a Key…'),
      detail: l10n.t('Add a provider and its key, or the address of another server, under Models + Endpoints'),
      iconPath: new vscode.ThemeIcon('key'),
      run: 'addKey',
    },
    {
      label: l10n.t('Sign In with Another Agent…'),
      detail: l10n.t('Add an agent that has its own sign-in and its own models'),
      iconPath: new vscode.ThemeIcon('account'),
      run: 'addAgent',
    },
  ];
}

function rowOf(server: LocalServer): Row {
  const { l10n } = vscode;
  const { name, models, url } = server;
  return {
    label: name,
    description: models.length === 1 ? l10n.t('1 model') : l10n.t('{0} models', models.length),
    detail: `${url} · ${withoutIcons(models.slice(0, NAMED).join(', '))}`,
    iconPath: new vscode.ThemeIcon('device-desktop'),
    server,
  };
}

/** Adds every model that is not registered yet, once the person confirmed it. */
async function addServer({ routes }: GatewayActions, { provider, name, url, models }: LocalServer): Promise<void> {
  const { l10n } = vscode;
  const add = l10n.t('Add');
  const question = l10n.t('Add the models of {0} to the gateway?', name);
  const named = [...models.slice(0, NAMED), ...(models.length > NAMED ? ['…'] : [])].join('\n');
  const detail = `${url}\n\n${named}`;
  if ((await vscode.window.showInformationMessage(question, { modal: true, detail }, add)) !== add) return;
  await attempt(l10n.t('The models were not added.'), async () => {
    const known = new Set((await routes.models()).data.map((it) => it.model_name));
    for (const model of models.filter((it) => !known.has(it))) {
      const gateway_params = { model: `${provider}/${model}`, api_base: url, allow_private_network: true };
      await routes.addModel({ model_name: model, gateway_params });
    }
    const start = l10n.t('New Session');
    const added = l10n.t('The models of {0} were added. Switchboard, the built-in agent, can use them.', name);
    void vscode.window.showInformationMessage(added, start).then((picked) => {
      if (picked === start) void vscode.commands.executeCommand(commandIds.newSession);
    });
  });
}
