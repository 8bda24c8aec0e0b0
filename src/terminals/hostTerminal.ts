import * as vscode from 'vscode';
import type { TerminalAction, TerminalClaim, TerminalState } from '../../sidecar/protocol/channels/terminal/schema.ts';
import type { ChannelView, Disposable, HostPort } from '../client/port.ts';
import { nothingPrinted, textOf, toWrite } from './printed.ts';
import { Typed } from './typed.ts';

export interface HostTerminalDeps {
  readonly port: HostPort;
  readonly clientId: string;
  readonly uri: string;
  /** It was closed in the editor; the host's terminal goes on. */
  readonly onClosed: () => void;
}

/** A terminal of the host in the editor's panel: shows what it prints, and types for whoever holds it. */
export class HostTerminal implements vscode.Pseudoterminal {
  readonly #deps: HostTerminalDeps;
  readonly #written = new vscode.EventEmitter<string>();
  readonly #ended = new vscode.EventEmitter<number>();
  readonly #renamed = new vscode.EventEmitter<string>();
  readonly #resized = new vscode.EventEmitter<vscode.TerminalDimensions | undefined>();
  readonly onDidWrite = this.#written.event;
  readonly onDidClose = this.#ended.event;
  readonly onDidChangeName = this.#renamed.event;
  readonly onDidOverrideDimensions = this.#resized.event;
  #view: ChannelView<TerminalState> | undefined;
  /** A client is in a session as long as it looks at it. */
  #session: { readonly uri: string; readonly hold: Disposable } | undefined;
  #printed = nothingPrinted;
  #size: vscode.TerminalDimensions | undefined;
  #overridden: vscode.TerminalDimensions | undefined;
  #title: string | undefined;
  #isEnded = false;
  readonly #typed = new Typed({
    mayType: () => this.#mayType,
    send: (data) => this.#dispatch({ type: 'terminal/input', data }),
    refuse: () => this.#note(vscode.l10n.t('Another client is controlling this terminal. You can watch.')),
  });

  constructor(deps: HostTerminalDeps) {
    this.#deps = deps;
  }

  open(size: vscode.TerminalDimensions | undefined): void {
    this.#size = size;
    this.#view = this.#deps.port.open<TerminalState>(this.#deps.uri);
    this.#view.onDidChange(() => this.#show());
    this.#show();
  }

  close(): void {
    this.#view?.dispose();
    this.#view = undefined;
    this.#session?.hold.dispose();
    this.#deps.onClosed();
  }

  handleInput(data: string): void {
    if (!this.#isEnded) this.#typed.type(data);
  }

  setDimensions(size: vscode.TerminalDimensions): void {
    this.#size = size;
    this.#fit();
  }

  get #state(): TerminalState | undefined {
    return this.#view?.shown;
  }
  get #mayType(): boolean | undefined {
    const claim = this.#state?.claim;
    return claim && (claim.kind === 'session' || (claim.kind === 'client' && claim.clientId === this.#deps.clientId));
  }

  #show(): void {
    const state = this.#state;
    if (this.#isEnded) return;
    if (!state) {
      if (this.#printed !== nothingPrinted) this.#end(0); // disposed of elsewhere
      return;
    }
    this.#follow(state.claim);
    if (state.title !== this.#title) {
      this.#title = state.title;
      this.#renamed.fire(state.title);
    }
    const { write, printed } = toWrite(this.#printed, textOf(state));
    this.#printed = printed;
    if (write !== '') this.#written.fire(write);
    this.#fit();
    if (state.exitCode !== undefined) return this.#end(state.exitCode);
    this.#typed.release();
  }

  /** Whoever holds it decides how large it is; for others it is as large as that. */
  #fit(): void {
    const state = this.#state;
    if (!state || this.#isEnded) return;
    const { cols, rows } = state;
    if (!this.#mayType) {
      if (cols !== undefined && rows !== undefined) this.#override({ columns: cols, rows });
      return;
    }
    this.#override(undefined);
    const size = this.#size;
    if (!size || size.columns < 1 || size.rows < 1 || (size.columns === cols && size.rows === rows)) return;
    this.#dispatch({ type: 'terminal/resized', cols: size.columns, rows: size.rows });
  }

  #override(size: vscode.TerminalDimensions | undefined): void {
    if (size?.columns === this.#overridden?.columns && size?.rows === this.#overridden?.rows) return;
    this.#overridden = size;
    this.#resized.fire(size);
  }

  #follow(claim: TerminalClaim): void {
    const uri = claim.kind === 'session' ? claim.session : undefined;
    if (uri === this.#session?.uri) return;
    this.#session?.hold.dispose();
    this.#session = uri === undefined ? undefined : { uri, hold: this.#deps.port.open(uri) };
  }

  #end(exitCode: number): void {
    this.#isEnded = true;
    this.#note(vscode.l10n.t('The command exited with code {0}.', exitCode));
    this.#ended.fire(exitCode);
  }

  #note(text: string): void {
    this.#written.fire(`\r\n\u001b[2m${text}\u001b[0m\r\n`);
  }

  #dispatch(action: TerminalAction): void {
    this.#deps.port.dispatch(this.#deps.uri, action);
  }
}
