import * as vscode from 'vscode';
import type { EditorModel } from '../../sidecar/protocol/channels/root/editorModels.ts';

const PREFIX = 'vscode/';

/** The models that the editor offers to extensions now, its own and those of other extensions. */
export async function editorModels(): Promise<readonly EditorModel[]> {
  const all = await vscode.lm.selectChatModels();
  return all
    .filter((it) => it.id !== '' && it.maxInputTokens > 0)
    .map(({ id, vendor, name, family, maxInputTokens }) => ({
      id: `${PREFIX}${vendor}/${id}`,
      name: `${name || id} (VS Code)`,
      family,
      context: Math.floor(maxInputTokens),
    }));
}

/** @param id an `id` of {@link editorModels} */
export async function editorModelOf(id: string): Promise<vscode.LanguageModelChat | undefined> {
  const [, vendor, name] = /^vscode\/([^/]+)\/(.+)$/.exec(id) ?? [];
  if (vendor === undefined || name === undefined) return undefined;
  return (await vscode.lm.selectChatModels({ vendor, id: name }))[0];
}
