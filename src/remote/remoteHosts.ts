import * as vscode from 'vscode';
import type { RootState } from '../../sidecar/protocol/channels/root/schema.ts';
import { ROOT } from '../../sidecar/protocol/uris.ts';
import type { Host, Hosts, NewPlace } from '../client/hosts.ts';
import type { ChannelView } from '../client/port.ts';
import { afterDelay } from '../client/requests.ts';
import type { RemoteHostSetting } from '../config/remoteHosts.ts';
import type { WindowConfig } from '../config/windowConfig.ts';
import { settingIds } from '../manifest/manifest.ts';
import { chance } from '../platform/clock.ts';
import { initializeParams } from '../sidecar/initializeParams.ts';
import type { SessionsTree } from '../views/sessions/provider.ts';
import { askAddress, askFolder, askName, askToken } from './askHost.ts';
import { HostsTree, type HostsTreeDeps, hostIn } from './hostsTree.ts';
import { HostTokens } from './hostTokens.ts';
import { RemoteHost } from './remoteHost.ts';
import { stateWords, whyNot } from './remoteTexts.ts';
import { openWebSocketConnection } from './webSocketConnection.ts';

export interface RemoteHostsDeps {
  readonly hosts: Hosts;
  readonly config: WindowConfig;
  readonly secrets: vscode.SecretStorage;
  /** Of this build, for logs of the hosts. */
  readonly version: string;
  readonly tree: Pick<HostsTreeDeps, 'local' | 'state'> & {
    readonly view: { fill(provider: vscode.TreeDataProvider<unknown>): void };
  };
  readonly list: () => readonly RemoteHostSetting[];
  readonly save: (list: readonly RemoteHostSetting[]) => Promise<void>;
  /** A client with all that is drawn from it. */
  readonly makeHost: (about: {
    readonly id: string;
    readonly nameOf: () => string;
    readonly connect: () => Promise<void>;
  }) => Host;
  readonly makeTree: (host: Host) => SessionsTree;
  readonly warn: (message: string) => void;
}

/** One host of the setting. */
interface Attached {
  readonly host: Host;
  readonly remote: RemoteHost;
  readonly tree: SessionsTree;
  readonly stops: readonly { dispose(): void }[];
}

/** The hosts elsewhere that the setting names: attached to, shown beside the one of this machine, and let go. */
export class RemoteHosts implements vscode.Disposable {
  readonly #deps: RemoteHostsDeps;
  readonly #tokens: HostTokens;
  readonly #attached = new Map<string, Attached>();
  /** By address, also of hosts that are not attached any more: a chat that is open may show one. */
  readonly #known = new Map<string, Host>();
  readonly #tree: HostsTree;
  readonly #stop: { dispose(): void };

  constructor(deps: RemoteHostsDeps) {
    this.#deps = deps;
    this.#tokens = new HostTokens(deps.secrets);
    this.#stop = this.#tokens.onDidChange((address) => this.#attached.get(address)?.remote.retry());
    this.#tree = new HostsTree({
      ...deps.tree,
      hosts: deps.hosts,
      far: () =>
        [...this.#attached.values()].map(({ host, remote, tree }) => ({ id: host.id, state: remote.state, tree })),
    });
    deps.tree.view.fill(this.#tree);
  }

  /** Attaches to what the setting names now, and lets go of what it does not. */
  follow(): void {
    const wanted = this.#deps.list();
    for (const address of [...this.#attached.keys()])
      if (!wanted.some((it) => it.address === address)) this.#letGo(address);
    for (const { address } of wanted) if (!this.#attached.has(address)) this.#add(address);
    const attached = wanted.flatMap(({ address }) => this.#attached.get(address) ?? []);
    this.#deps.hosts.setOthers(attached.map((it) => it.host));
    this.#tree.listChanged();
    for (const { remote } of attached) remote.start();
  }

  elsewhere(address: string): Host {
    const known = this.#known.get(address);
    if (known) return known;
    const host = this.#deps.makeHost({
      id: address,
      nameOf: () => this.#deps.list().find((it) => it.address === address)?.name ?? plainName(address),
      connect: () => this.#connected(address),
    });
    // The host tells of its sessions to who looks at its root; opening that earlier would ask for a connection.
    let root: ChannelView<RootState> | undefined;
    host.client.onDidConnect(() => (root ??= host.client.open<RootState>(ROOT)));
    this.#known.set(address, host);
    return host;
  }

  /** Asks for address, name and token, and keeps what was said. */
  async attach(): Promise<void> {
    const broken = this.#deps.config.problems.find((it) => it.startsWith(settingIds.remoteHosts));
    if (broken !== undefined) {
      void vscode.window.showErrorMessage(vscode.l10n.t('The list of hosts in the settings is not valid: {0}', broken));
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
    await this.#tokens.set(address, token);
    if (isListed) return;
    try {
      await this.#deps.save([...list, { ...(name !== plainName(address) && { name }), address }]);
    } catch (thrown) {
      await this.#tokens.remove(address);
      throw thrown;
    }
  }

  /** Its sessions go on there; its token is forgotten. */
  async detach(row: unknown): Promise<void> {
    const address = hostIn(row) ?? (await this.#pick(vscode.l10n.t('Detach from which host?')));
    if (address === undefined || !this.#attached.has(address)) return;
    await this.#deps.save(this.#deps.list().filter((it) => it.address !== address));
    await this.#tokens.remove(address);
  }

  async enterToken(row: unknown): Promise<void> {
    const address = hostIn(row) ?? (await this.#pick(vscode.l10n.t('The token of which host?')));
    const attached = address === undefined ? undefined : this.#attached.get(address);
    const token = attached && (await askToken(attached.host.name));
    if (!attached || token === undefined) return;
    await this.#tokens.set(attached.host.id, token);
    attached.remote.retry();
  }

  async retry(row: unknown): Promise<void> {
    const address = hostIn(row) ?? (await this.#pick(vscode.l10n.t('Connect to which host again?')));
    if (address === undefined) return;
    const attached = this.#attached.get(address);
    if (attached) attached.remote.retry();
    else void vscode.window.showErrorMessage(this.#whyNot(address, { kind: 'stopped' }));
  }

  /** @param row of the host that is meant; absent: a person chooses, where there are several */
  async choosePlace(row: unknown): Promise<NewPlace | undefined> {
    if (this.#attached.size === 0) return {};
    const address = hostIn(row) ?? (await this.#pick(vscode.l10n.t('On which host does the session run?'), true));
    if (address === undefined) return undefined;
    const attached = this.#attached.get(address);
    if (!attached) return {};
    const { host, remote } = attached;
    if (remote.state.kind !== 'attached' && remote.state.kind !== 'connecting') {
      void vscode.window.showErrorMessage(whyNot(vscode.l10n, host.name, address, remote.state));
      return undefined;
    }
    const folder = await askFolder(host);
    return folder === undefined ? undefined : { host: address, folder };
  }

  dispose(): void {
    this.#stop.dispose();
    for (const address of [...this.#attached.keys()]) this.#letGo(address);
    this.#tree.dispose();
  }

  #add(address: string): void {
    const host = this.elsewhere(address);
    const remote = new RemoteHost({
      token: () => this.#tokens.get(address),
      open: (token, signal) =>
        openWebSocketConnection({
          address,
          token,
          signal,
          initializeParams: initializeParams(host.client.clientId, this.#deps.version, { servedWindow: true }),
        }),
      attach: (connection) => host.client.attach(connection),
      schedule: afterDelay,
      random: chance,
      monotonicMs: () => performance.now(),
    });
    const tree = this.#deps.makeTree(host);
    const changed = remote.onDidChange((state) => {
      if (state.kind === 'lost') this.#deps.warn(`no connection to a host elsewhere: ${state.trouble.kind}`);
      this.#tree.hostChanged(address);
    });
    this.#attached.set(address, {
      host,
      remote,
      tree,
      stops: [changed, remote, this.#tree.follow(address, tree), tree],
    });
  }

  #letGo(address: string): void {
    const attached = this.#attached.get(address);
    this.#attached.delete(address);
    for (const it of attached?.stops ?? []) it.dispose();
    attached?.host.client.dispose();
  }

  #connected(address: string): Promise<void> {
    const attached = this.#attached.get(address);
    if (!attached) return Promise.reject(new Error(this.#whyNot(address, { kind: 'stopped' })));
    return attached.remote.connected((state) => this.#whyNot(address, state));
  }

  #whyNot(address: string, state: RemoteHost['state']): string {
    return whyNot(vscode.l10n, this.elsewhere(address).name, address, state);
  }

  async #pick(placeHolder: string, withLocal = false): Promise<string | undefined> {
    const { hosts } = this.#deps;
    const items = hosts.all
      .filter((it) => withLocal || it.id !== '')
      .map(({ id, name }) => {
        const state = this.#attached.get(id)?.remote.state;
        return { label: name, ...(state && { description: stateWords(vscode.l10n, state), detail: id }), id };
      });
    if (items.length === 0) {
      void vscode.window.showInformationMessage(vscode.l10n.t('This window is attached to no host elsewhere.'));
      return undefined;
    }
    return (await vscode.window.showQuickPick(items, { placeHolder }))?.id;
  }
}

/** What a host is called that nobody named. */
function plainName(address: string): string {
  return address.replace(/^wss?:\/\//, '');
}
