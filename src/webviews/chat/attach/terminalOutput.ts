import * as vscode from 'vscode';
import type { MessageAttachment } from '../../../../sidecar/protocol/shared.ts';
import type { AttachingDeps } from './attachModule.ts';
import { NotAttached, textAttachment } from './kept.ts';

const terminalCommand = (name: string) => `workbench.action.terminal.${name}`;

/** Asks which terminal, where there are several. */
export async function pickTerminal(deps: AttachingDeps): Promise<MessageAttachment | undefined> {
  const { terminals } = vscode.window;
  if (terminals.length === 0) throw noTerminal();
  const items = terminals.map((terminal) => ({
    label: terminal.name,
    iconPath: new vscode.ThemeIcon('terminal'),
    terminal,
  }));
  const picked =
    items.length === 1
      ? items[0]
      : await vscode.window.showQuickPick(items, {
          ignoreFocusOut: true,
          placeHolder: vscode.l10n.t('Choose a terminal'),
        });
  if (!picked) return undefined;
  picked.terminal.show(true);
  return activeTerminal(deps);
}

/** The last command with its output, which VS Code knows through shell integration; otherwise all that the terminal shows. */
export async function activeTerminal(deps: AttachingDeps): Promise<MessageAttachment> {
  const attachment = await copied(deps, async ({ shellIntegration }) => {
    const last = shellIntegration ? await copiedBy('copyLastCommandAndLastCommandOutput') : '';
    return last || copiedBy('selectAll', 'copySelection', 'clearSelection');
  });
  const { name = '' } = vscode.window.activeTerminal ?? {};
  if (!attachment) throw new NotAttached(vscode.l10n.t('The terminal {0} has no output to attach.', name));
  return attachment;
}

/** VS Code tells nobody whether there is one, and warns of itself where there is none. */
export function terminalSelection(deps: AttachingDeps): Promise<MessageAttachment | undefined> {
  return copied(deps, () => copiedBy('copySelection'));
}

/** VS Code hands out what a terminal shows through the clipboard only, which gets back the text that was there. */
async function copied(
  deps: AttachingDeps,
  copy: (terminal: vscode.Terminal) => Promise<string>,
): Promise<MessageAttachment | undefined> {
  const { activeTerminal: terminal } = vscode.window;
  if (!terminal) throw noTerminal();
  const before = await vscode.env.clipboard.readText();
  try {
    const text = (await copy(terminal)).trimEnd();
    if (text === '') return undefined;
    return await textAttachment(deps, vscode.l10n.t('Output of {0}', terminal.name), text, 'terminal');
  } finally {
    await vscode.env.clipboard.writeText(before);
  }
}

const noTerminal = () => new NotAttached(vscode.l10n.t('No terminal is open. Open one, run a command, and try again.'));

/** @returns what the commands left in the clipboard; nothing where there was nothing to copy */
async function copiedBy(...commands: readonly string[]): Promise<string> {
  await vscode.env.clipboard.writeText('');
  for (const it of commands) await vscode.commands.executeCommand(terminalCommand(it));
  return vscode.env.clipboard.readText();
}
