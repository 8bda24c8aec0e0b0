import * as vscode from 'vscode';
import { now } from '../platform/clock.ts';
import type { Cleaner } from './cleaner.ts';
import type { DiagnosticsDeps } from './diagnosticsModule.ts';
import { type KeptMessage, Traffic, type TrafficFilter } from './traffic.ts';

type Row = vscode.QuickPickItem & { readonly message: KeptMessage };
type Button = vscode.QuickInputButton & { readonly run: () => unknown };

/** The list of the messages between this window and its host. Records from its first opening until it is stopped. */
export class TrafficList {
  readonly #deps: Pick<DiagnosticsDeps, 'tap' | 'show'>;
  readonly #cleaner: () => Promise<Cleaner>;
  #traffic: Traffic | undefined;
  #filter: TrafficFilter = {};
  #list: vscode.QuickPick<Row> | undefined;

  constructor(deps: Pick<DiagnosticsDeps, 'tap' | 'show'>, cleaner: () => Promise<Cleaner>) {
    this.#deps = deps;
    this.#cleaner = cleaner;
  }

  async open(): Promise<void> {
    const traffic = this.#traffic ?? (await this.#record());
    const list = vscode.window.createQuickPick<Row>();
    this.#list = list;
    list.matchOnDescription = true;
    list.keepScrollPosition = true;
    list.ignoreFocusOut = true;
    list.buttons = this.#buttons(traffic);
    list.onDidTriggerButton((it) => (it as Button).run());
    list.onDidAccept(() => {
      const [picked] = list.selectedItems;
      if (picked) void this.#deps.show(picked.message.method, picked.message.text);
    });
    list.onDidHide(() => {
      if (this.#list === list) this.#list = undefined;
      list.dispose();
    });
    this.#draw(traffic);
    list.show();
  }

  async #record(): Promise<Traffic> {
    const cleaner = await this.#cleaner();
    const traffic = new Traffic((it) => cleaner.json(it), now);
    this.#traffic = traffic;
    this.#deps.tap.watch = (message) => {
      traffic.add(message);
      this.#draw(traffic);
    };
    return traffic;
  }

  #buttons(traffic: Traffic): readonly Button[] {
    const { l10n, ThemeIcon } = vscode;
    const button = (icon: string, tooltip: string, run: () => unknown): Button => ({
      iconPath: new ThemeIcon(icon),
      tooltip,
      run,
    });
    return [
      button('arrow-swap', l10n.t('Filter by Direction'), () => this.#turn(traffic)),
      button('list-tree', l10n.t('Filter by Channel…'), () => this.#choose(traffic, 'channel')),
      button('symbol-method', l10n.t('Filter by Method…'), () => this.#choose(traffic, 'method')),
      button('clear-all', l10n.t('Clear'), () => {
        traffic.clear();
        this.#draw(traffic);
      }),
      button('debug-stop', l10n.t('Stop Recording'), () => {
        this.#deps.tap.watch = undefined;
        this.#traffic = undefined;
        this.#filter = {};
        this.#list?.hide();
      }),
    ];
  }

  /** All, then those that were sent, then those that were received. */
  #turn(traffic: Traffic): void {
    const next = { all: 'sent', sent: 'received', received: undefined } as const;
    this.#filter = { ...this.#filter, direction: next[this.#filter.direction ?? 'all'] };
    this.#draw(traffic);
  }

  async #choose(traffic: Traffic, member: 'channel' | 'method'): Promise<void> {
    const all = vscode.l10n.t('All');
    const title = member === 'channel' ? vscode.l10n.t('Filter by Channel') : vscode.l10n.t('Filter by Method');
    const picked = await vscode.window.showQuickPick([all, ...traffic.values(member)], { title, ignoreFocusOut: true });
    if (picked !== undefined) this.#filter = { ...this.#filter, [member]: picked === all ? undefined : picked };
    await this.open();
  }

  #draw(traffic: Traffic): void {
    const list = this.#list;
    if (!list) return;
    const { l10n } = vscode;
    const { direction, channel, method } = this.#filter;
    const shown = traffic.shown(this.#filter);
    const side = direction && (direction === 'sent' ? l10n.t('sent') : l10n.t('received'));
    list.title = [l10n.t('Protocol Traffic'), side, channel, method].filter((it) => it !== undefined).join(' · ');
    list.placeholder =
      shown.length === 0
        ? l10n.t('Recording. Messages between this window and the host appear here.')
        : l10n.t('Messages: {0}. Select one to see its contents.', shown.length);
    list.items = shown.map((message) => toRow(message));
  }
}

function toRow(message: KeptMessage): Row {
  const arrow = message.direction === 'sent' ? 'arrow-up' : 'arrow-down';
  const kind = {
    request: vscode.l10n.t('request'),
    answer: vscode.l10n.t('response'),
    error: vscode.l10n.t('error'),
    notification: vscode.l10n.t('notification'),
  }[message.kind];
  return {
    label: `$(${arrow}) ${message.method}`,
    description: [kind, message.channel, message.at.slice(11, 23)].filter((it) => it !== '').join(' · '),
    message,
  };
}
