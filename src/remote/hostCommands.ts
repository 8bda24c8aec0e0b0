import * as vscode from 'vscode';
import type { Host, Hosts, NewPlace } from '../client/hosts.ts';
import type { RemoteHostSetting } from '../config/remoteHosts.ts';
import type { WindowConfig } from '../config/windowConfig.ts';
import { settingIds } from '../manifest/manifest.ts';
import { askAddress, askFolder, askName, askToken } from './askHost.ts';
import { hostIn } from './hostsTree.ts';
import type { HostTokens } from './hostTokens.ts';
import type { RemoteHost, RemoteState } from './remoteHost.ts';
import { plainName, stateWords } from './remoteTexts.ts';

/** A host of the setting, and how it is reached. */
export interface Attached {
  readonly host: Host;
  readonly remote: RemoteHost;
}
export interface HostCommandsDeps {
  readonly hosts: Hosts;
  readonly config: WindowConfig;
  readonly tokens: HostTokens;
  /** By address. */
  readonly attached: ReadonlyMap<string, Attached>;
  readonly list: () => readonly RemoteHostSetting[];
  readonly save: (list: readonly RemoteHostSetting[]) => Promise<void>;
  /** A sentence for a person. */
  readonly whyNot: (address: string, state: RemoteState) => string;
}

/** What a person does with hosts elsewhere; where no row says which is meant, they are asked. */
export class HostCommands {
  readonly #deps: HostCommandsDeps;

  constructor(deps: HostCommandsDeps) {
    this.#deps = deps;
  }

  /** Asks for address, name and token, and keeps what was said. */
  async attach(): Promise<void> {
    const { config, tokens } = this.#deps;
    const broken = config.problems.find((it) => it.startsWith(settingIds.remoteHosts));
    if (broken !== undefined) {
      void vscode.window.showErrorMessage(vscode.l10n.t('The host list in the settings is invalid: {0}', broken));
      return;
    }
    const address = await askAddress();
    if (address === undefined) return;
    const list = this.#deps.list();
    const isListed = list.some((it) => it.address === address);
    const name = isListed ? '' : await askName(plainName(address));
    if (name === undefined) return;
    const token = await askToken(plainName(address));
    if (token === undefined) return;
    await tokens.set(address, token);
    if (isListed) return;
    try {
      await this.#deps.save([...list, { ...(name !== plainName(address) && { name }), address }]);
    } catch (thrown) {
      await tokens.remove(address);
      throw thrown;
    }
  }

  /** Its sessions go on there; its token is forgotten. */
  async detach(row: unknown): Promise<void> {
    const { attached, list, save, tokens } = this.#deps;
    const address = hostIn(row) ?? (await this.#pick(vscode.l10n.t('Which host do you want to detach from?')));
    if (address === undefined || !attached.has(address)) return;
    await save(list().filter((it) => it.address !== address));
    await tokens.forget(address);
  }

  async enterToken(row: unknown): Promise<void> {
    const address = hostIn(row) ?? (await this.#pick(vscode.l10n.t('Which host do you want to enter a token for?')));
    const attached = address === undefined ? undefined : this.#deps.attached.get(address);
    const token = attached && (await askToken(attached.host.name));
    if (!attached || token === undefined) return;
    await this.#deps.tokens.set(attached.host.id, token);
    attached.remote.retry();
  }

  async retry(row: unknown): Promise<void> {
    const address = hostIn(row) ?? (await this.#pick(vscode.l10n.t('Which host do you want to reconnect to?')));
    if (address === undefined) return;
    const attached = this.#deps.attached.get(address);
    if (attached) attached.remote.retry();
    else void vscode.window.showErrorMessage(this.#deps.whyNot(address, { kind: 'stopped' }));
  }

  /** @param row of the host that is meant; absent: a person chooses, where there are several */
  async choosePlace(row: unknown): Promise<NewPlace | undefined> {
    if (this.#deps.attached.size === 0) return {};
    const address = hostIn(row) ?? (await this.#pick(vscode.l10n.t('Select a host for the session'), true));
    if (address === undefined) return undefined;
    const attached = this.#deps.attached.get(address);
    if (!attached) return {};
    const { host, remote } = attached;
    if (remote.state.kind !== 'attached' && remote.state.kind !== 'connecting') {
      void vscode.window.showErrorMessage(this.#deps.whyNot(address, remote.state));
      return undefined;
    }
    const folder = await askFolder(host);
    return folder === undefined ? undefined : { host: address, folder };
  }

  async #pick(placeHolder: string, withLocal = false): Promise<string | undefined> {
    const items = this.#deps.hosts.all
      .filter((it) => withLocal || it.id !== '')
      .map(({ id, name }) => {
        const state = this.#deps.attached.get(id)?.remote.state;
        return { label: name, ...(state && { description: stateWords(vscode.l10n, state), detail: id }), id };
      });
    if (items.length === 0) {
      void vscode.window.showInformationMessage(vscode.l10n.t('This window is not attached to a remote host.'));
      return undefined;
    }
    return (await vscode.window.showQuickPick(items, { placeHolder, ignoreFocusOut: true }))?.id;
  }
}
