import * as vscode from 'vscode';
import type { DashboardPages } from '../../activation/pageStubs.ts';
import { panelTypes } from '../../manifest/manifest.ts';
import { showNewFile } from '../../platform/newFile.ts';
import { whyOf } from '../../platform/whyOf.ts';
import { GatewayFromPage, GatewayPageState, type GatewayToPage } from '../contract/gatewayPages.ts';
import { pageHtml, pageOptions, pageStrings } from '../pageHtml.ts';
import { mayAsk } from './dashboardPaths.ts';

/** The way to the gateway. It adds the key, which no page ever sees. */
export interface DashboardDeps {
  readonly extensionUri: vscode.Uri;
  readonly baseUrl: () => Promise<string>;
  /** Rejects where there is no answer. */
  readonly ask: (request: {
    readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
    readonly path: string;
    readonly body?: unknown;
    readonly signal: AbortSignal;
  }) => Promise<{ readonly status: number; readonly body: unknown; readonly date: string | undefined }>;
  /** Something was written: rows may have changed. */
  readonly wrote: () => void;
  readonly warn: (message: string) => void;
}

/** The gateway's pages in an editor panel, one for the window. */
export class Dashboard implements DashboardPages, vscode.Disposable {
  readonly #deps: DashboardDeps;
  #panel: vscode.WebviewPanel | undefined;
  #asks = new Map<number, AbortController>();
  #query = 'page=new_usage';

  constructor(deps: DashboardDeps) {
    this.#deps = deps;
  }

  /** @param query the page to show, as `page=keys`; absent: the one that shows, at first the usage */
  open(query?: string): void {
    if (query !== undefined) this.#query = query;
    if (this.#panel) {
      this.#panel.reveal();
      if (query !== undefined) void this.#greet(this.#panel);
      return;
    }
    const { Active } = vscode.ViewColumn;
    this.#show(vscode.window.createWebviewPanel(panelTypes.dashboard, vscode.l10n.t('Gateway'), Active));
  }

  restore(panel: vscode.WebviewPanel, state: unknown): void {
    this.#query = GatewayPageState.safeParse(state).data?.query ?? this.#query;
    this.#panel?.dispose();
    this.#show(panel);
  }

  dispose(): void {
    this.#panel?.dispose();
  }

  #show(panel: vscode.WebviewPanel): void {
    const { extensionUri, warn } = this.#deps;
    this.#panel = panel;
    panel.iconPath = new vscode.ThemeIcon('circuit-board');
    panel.onDidDispose(() => {
      if (this.#panel === panel) this.#panel = undefined;
      for (const it of this.#asks.values()) it.abort();
      this.#asks.clear();
    });
    panel.webview.options = pageOptions(extensionUri);
    panel.webview.onDidReceiveMessage((raw: unknown) => {
      const message = GatewayFromPage.safeParse(raw);
      if (message.success) void this.#receive(panel, message.data);
      else warn('the dashboard sent something else than it may');
    });
    const page = { page: 'admin/admin', title: panel.title, bodyClass: 'in-editor', isStyled: true };
    panel.webview.html = pageHtml(panel.webview, extensionUri, page);
  }

  async #receive(panel: vscode.WebviewPanel, message: GatewayFromPage): Promise<void> {
    switch (message.type) {
      case 'ready':
        return this.#greet(panel);
      case 'ask':
        return this.#ask(panel, message);
      case 'abort':
        return this.#asks.get(message.id)?.abort();
      case 'copy':
        return vscode.env.clipboard.writeText(message.text);
      case 'save': // The person decides where to keep it when saving.
        return showNewFile(message.text, 'csv', vscode.ViewColumn.Beside);
    }
  }

  async #greet(panel: vscode.WebviewPanel): Promise<void> {
    const baseUrl = await this.#deps.baseUrl().catch((thrown: unknown) => {
      void vscode.window.showErrorMessage(whyOf(thrown));
      return '';
    });
    const strings = pageStrings();
    await this.#post(panel, { type: 'open', query: this.#query, baseUrl, ...(strings && { strings }) });
  }

  async #ask(panel: vscode.WebviewPanel, { id, method, path, body }: Extract<GatewayFromPage, { type: 'ask' }>) {
    if (!mayAsk(method, path)) {
      this.#deps.warn(`the dashboard may not ask ${method} ${path.split('?', 1)[0]}`);
      const error = { message: vscode.l10n.t('This action is not available in VS Code.') };
      return this.#post(panel, { type: 'answer', id, status: 403, body: { error } });
    }
    const controller = new AbortController();
    this.#asks.set(id, controller);
    try {
      const { signal } = controller;
      const answer = await this.#deps.ask({ method, path, signal, ...(body !== undefined && { body }) });
      const { status, date } = answer;
      await this.#post(panel, { type: 'answer', id, status, body: answer.body, ...(date !== undefined && { date }) });
      if (method !== 'GET' && status < 400) this.#deps.wrote();
    } catch (thrown) {
      if (controller.signal.aborted) return;
      const reason = whyOf(thrown);
      this.#deps.warn(`the dashboard got no answer: ${reason}`);
      await this.#post(panel, { type: 'unreachable', id, reason });
    } finally {
      this.#asks.delete(id);
    }
  }

  async #post(panel: vscode.WebviewPanel, message: GatewayToPage): Promise<void> {
    if (panel === this.#panel) await panel.webview.postMessage(message);
  }
}
