import * as vscode from 'vscode';
import { settingIds, toolProviderIds } from '../manifest/manifest.ts';

/** The gateway as the editor's own MCP client sees it. */
export type Tools = Required<
  Pick<vscode.McpServerDefinitionProvider<vscode.McpHttpServerDefinition>, 'resolveMcpServerDefinition'>
> &
  Pick<vscode.McpServerDefinitionProvider<vscode.McpHttpServerDefinition>, 'provideMcpServerDefinitions'>;

/** Offers the gateway's tools to the editor's own agents, where the person turned that on; without that nothing is loaded. */
export class ToolsStub implements vscode.Disposable {
  readonly #changed = new vscode.EventEmitter<void>();
  readonly #stop: vscode.Disposable;

  constructor(wake: () => { readonly tools: Tools }) {
    const { gatewayEnabled, provideToEditor } = settingIds;
    const isOn = () => {
      const settings = vscode.workspace.getConfiguration();
      return settings.get(gatewayEnabled) === true && settings.get(provideToEditor) === true;
    };
    this.#stop = vscode.Disposable.from(
      this.#changed,
      vscode.workspace.onDidChangeConfiguration((it) => {
        if (it.affectsConfiguration(gatewayEnabled) || it.affectsConfiguration(provideToEditor)) this.changed();
      }),
      vscode.workspace.onDidGrantWorkspaceTrust(() => this.changed()),
      vscode.lm.registerMcpServerDefinitionProvider(toolProviderIds.gateway, {
        onDidChangeMcpServerDefinitions: this.#changed.event,
        provideMcpServerDefinitions: (token) =>
          isOn() && vscode.workspace.isTrusted ? wake().tools.provideMcpServerDefinitions(token) : [],
        resolveMcpServerDefinition: (server: vscode.McpHttpServerDefinition, token) =>
          wake().tools.resolveMcpServerDefinition(server, token),
      }),
    );
  }

  readonly changed = (): void => this.#changed.fire();

  dispose(): void {
    this.#stop.dispose();
  }
}
