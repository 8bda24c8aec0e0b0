import * as vscode from 'vscode';
import type { RuleTrial, RuleVerdict } from '../../sidecar/protocol/window.ts';
import { verdictText } from './verdictText.ts';

type Kind = RuleTrial['kind'];

/** Asks for a request that nobody made, and says with each letter what the host would do with it, and by which rule. */
export async function testRequest(ask: (trial: RuleTrial) => Promise<RuleVerdict>): Promise<void> {
  const kinds: readonly (vscode.QuickPickItem & { readonly kindOf: Kind; readonly example: string })[] = [
    { kindOf: 'shell', label: vscode.l10n.t('Run a command'), example: 'npm test -- x' },
    { kindOf: 'edit', label: vscode.l10n.t('Edit a file'), example: 'src/index.ts' },
    { kindOf: 'read', label: vscode.l10n.t('Read a file'), example: 'src/index.ts' },
    { kindOf: 'fetch', label: vscode.l10n.t('Access a URL'), example: 'https://example.com/' },
    { kindOf: 'other', label: vscode.l10n.t('Use a tool'), example: 'mcp:server/tool' },
  ];
  const title = vscode.l10n.t('Test a Request');
  const picked = await vscode.window.showQuickPick(kinds, { title, ignoreFocusOut: true });
  if (!picked) return;
  await vscode.window.showInputBox({
    title: `${title}: ${picked.label}`,
    prompt: vscode.l10n.t('What would happen in a new session in this workspace? Nothing is run.'),
    placeHolder: picked.example,
    ignoreFocusOut: true,
    validateInput: async (text) => {
      const what = text.trim();
      if (what === '') return undefined;
      const verdict = await ask({ kind: picked.kindOf, what }).catch(() => undefined);
      if (verdict)
        return { message: verdictText(vscode.l10n, verdict), severity: vscode.InputBoxValidationSeverity.Info };
      return vscode.l10n.t('The host did not respond. Check that it is running, and try again.');
    },
  });
}
