import * as vscode from 'vscode';
import { commandIds, settingIds } from '../manifest/manifest.ts';
import { onCommand } from '../platform/commandHandlers.ts';
import { whyOf } from '../platform/whyOf.ts';

export interface PublicAddressDeps {
  /** Where other programs are served; 0: nowhere. */
  readonly port: () => number;
  /** @throws {Error} with a sentence for the person */
  readonly open: (port: number) => Promise<{ readonly url: string; readonly token: string }>;
  readonly close: () => void;
  /** Whether this window may start anything. */
  readonly isTrusted: () => boolean;
  readonly onDidChange: (listener: () => void) => vscode.Disposable;
  readonly warn: (message: string) => void;
}

/** Serves other programs while the setting says so, and shows where: VS Code's own agents UI among them. */
export function registerPublicAddress(deps: PublicAddressDeps): vscode.Disposable {
  const follow = (): void => {
    const port = deps.isTrusted() ? deps.port() : 0;
    if (port === 0) return deps.close();
    deps.open(port).catch((thrown: unknown) => deps.warn(`other programs are not served: ${whyOf(thrown)}`));
  };
  follow();
  return vscode.Disposable.from(
    deps.onDidChange(follow),
    { dispose: deps.close },
    onCommand(commandIds.showPublicAddress, () => show(deps)),
  );
}

async function show({ port, open }: PublicAddressDeps): Promise<void> {
  if (port() === 0) {
    const choose = vscode.l10n.t('Choose a Port…');
    const message = vscode.l10n.t('Other programs cannot connect because no port is set.');
    const picked = await vscode.window.showInformationMessage(message, choose);
    if (picked === choose) await vscode.commands.executeCommand('workbench.action.openSettings', settingIds.publicPort);
    return;
  }
  try {
    const { url, token } = await open(port());
    const [copyAddress, copyToken] = [vscode.l10n.t('Copy Address'), vscode.l10n.t('Copy Token')];
    const detail = `${url}\n${token}\n\n${vscode.l10n.t('Anyone with this token can do whatever you can do. To get a new token, delete the public-token file in the data folder.')}`;
    const message = vscode.l10n.t('Address and token for other programs on this machine');
    const picked = await vscode.window.showInformationMessage(message, { modal: true, detail }, copyAddress, copyToken);
    if (picked !== undefined) await vscode.env.clipboard.writeText(picked === copyAddress ? url : token);
  } catch (thrown) {
    await vscode.window.showErrorMessage(vscode.l10n.t('Other programs cannot connect: {0}', whyOf(thrown)));
  }
}
