import * as vscode from 'vscode';
import type { EditorModel } from '../../../sidecar/protocol/channels/root/editorModels.ts';
import { commandIds, settingIds } from '../../manifest/manifest.ts';
import { editorModels } from '../../platform/editorModels.ts';
import { withoutIcons } from '../../platform/withoutIcons.ts';
import { findLocalServers, type LocalServer, localAddresses } from '../localModels.ts';
import { attempt, type GatewayActions } from './actions.ts';

interface Row extends vscode.QuickPickItem {
  readonly server?: LocalServer;
  readonly ofEditor?: readonly EditorModel[];
  readonly run?: 'addKey' | 'addAgent';
}

/** How many models a question lists by name. */
const NAMED = 20;

/**
 * Shows where the built-in agent can get a model: local servers and the editor, which are looked at now, a provider's key, or another
 * agent.
 */
export async function connectModel(actions: GatewayActions): Promise<void> {
  const { l10n } = vscode;
  const list = vscode.window.createQuickPick<Row>();
  list.title = l10n.t('Connect a Model');
  list.placeholder = l10n.t('Looking for models…');
  list.ignoreFocusOut = true;
  list.busy = true;
  list.items = otherWays();
  const picked = new Promise<Row | undefined>((resolve) => {
    list.onDidAccept(() => resolve(list.selectedItems[0]));
    list.onDidHide(() => resolve(undefined));
  });
  list.show();
  const looks = [findLocalServers(localAddresses(process.env)), editorModels().catch(() => [])] as const;
  void Promise.all(looks).then(([servers, ofEditor]) => {
    const found = [...servers.map(rowOf), ...(ofEditor.length > 0 ? [editorRow(ofEditor)] : [])];
    list.items = [...found, ...otherWays()];
    list.placeholder =
      found.length === 0
        ? l10n.t('No model found. Start Ollama, LM Studio, or llama.cpp and try again, or add a key.')
        : l10n.t('Select where the models are');
    list.busy = false;
  });
  const row = await picked;
  list.dispose();
  if (row?.server) await addServer(actions, row.server);
  else if (row?.ofEditor) await useEditor(row.ofEditor);
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
  const { name, models, url } = server;
  return { ...modelsRow(name, models, url), iconPath: new vscode.ThemeIcon('device-desktop'), server };
}

function editorRow(ofEditor: readonly EditorModel[]): Row {
  const names = ofEditor.map((it) => it.name);
  const state = isEditorUsed() ? vscode.l10n.t('in use') : vscode.l10n.t('signed in through VS Code');
  return { ...modelsRow('VS Code', names, state), iconPath: new vscode.ThemeIcon('vscode'), ofEditor };
}

function modelsRow(label: string, models: readonly string[], where: string): Row {
  const { l10n } = vscode;
  return {
    label,
    description: models.length === 1 ? l10n.t('1 model') : l10n.t('{0} models', models.length),
    detail: `${where} · ${withoutIcons(models.slice(0, NAMED).join(', '))}`,
  };
}

const listOf = (models: readonly string[]) =>
  [...models.slice(0, NAMED), ...(models.length > NAMED ? ['…'] : [])].join('\n');
const isEditorUsed = () => vscode.workspace.getConfiguration().get(settingIds.editorModels) === true;

/** Lets the built-in agent use the editor's models, once the person confirmed it. */
async function useEditor(models: readonly EditorModel[]): Promise<void> {
  const { l10n } = vscode;
  if (!isEditorUsed()) {
    const use = l10n.t('Use');
    const question = l10n.t('Let the built-in agent use the models of VS Code?');
    const detail = l10n.t(
      'VS Code asks for your consent when a model is used for the first time. Messages count toward your plan with the provider of the model. VS Code reports no usage, so their cost is unknown. To stop this, turn off the {0} setting.',
      settingIds.editorModels,
    );
    const named = `${detail}\n\n${listOf(models.map((it) => it.name))}`;
    if ((await vscode.window.showInformationMessage(question, { modal: true, detail: named }, use)) !== use) return;
    const configuration = vscode.workspace.getConfiguration();
    await configuration.update(settingIds.editorModels, true, vscode.ConfigurationTarget.Global);
  }
  offerSession(l10n.t('Switchboard, the built-in agent, can use the models of VS Code.'));
}

function offerSession(text: string): void {
  const start = vscode.l10n.t('New Session');
  void vscode.window.showInformationMessage(text, start).then((picked) => {
    if (picked === start) void vscode.commands.executeCommand(commandIds.newSession);
  });
}

/** Adds every model that is not registered yet, once the person confirmed it. */
async function addServer({ routes }: GatewayActions, { provider, name, url, models }: LocalServer): Promise<void> {
  const { l10n } = vscode;
  const add = l10n.t('Add');
  const question = l10n.t('Add the models of {0} to the gateway?', name);
  const detail = `${url}\n\n${listOf(models)}`;
  if ((await vscode.window.showInformationMessage(question, { modal: true, detail }, add)) !== add) return;
  await attempt(l10n.t('The models were not added.'), async () => {
    const known = new Set((await routes.models()).data.map((it) => it.model_name));
    for (const model of models.filter((it) => !known.has(it))) {
      const gateway_params = { model: `${provider}/${model}`, api_base: url, allow_private_network: true };
      await routes.addModel({ model_name: model, gateway_params });
    }
    offerSession(l10n.t('The models of {0} were added. Switchboard, the built-in agent, can use them.', name));
  });
}
