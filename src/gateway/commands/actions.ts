import * as vscode from 'vscode';
import { whyOf } from '../../platform/whyOf.ts';
import type { GatewayAddress } from '../door.ts';
import type { GatewayModel, GatewayPicture } from '../model.ts';
import type { GatewayRoutes } from '../routes.ts';
import type { GatewaySecrets } from '../secrets.ts';
import type { ParseJsonc } from './editorFile.ts';

/** What the commands of the gateway work with. */
export interface GatewayActions {
  readonly routes: GatewayRoutes;
  readonly model: GatewayModel;
  readonly secrets: GatewaySecrets;
  readonly address: () => Promise<GatewayAddress>;
  /** Whether servers may run this program, asked of the person where it is not in the settings yet. */
  readonly mayRun: (command: string) => Promise<boolean>;
  /** A read-only document. */
  readonly show: (title: string, text: string) => Promise<void>;
  readonly openDashboard: (query?: string) => void;
  /** Fetched with the first file. */
  readonly parseJsonc: () => ParseJsonc;
  /** The data directory of the host and of the gateway beside it. */
  readonly dataDir: string;
}

/**
 * Runs what a person asked for; what went wrong is said after `what`, a whole sentence. The button keeps the message in sight
 * and unfolded: without one the editor shows its first line, for some seconds.
 */
export async function attempt(what: string, work: () => Promise<unknown>): Promise<void> {
  try {
    await work();
  } catch (thrown) {
    const why = whyOf(thrown);
    const again = vscode.l10n.t('Try Again');
    void vscode.window.showErrorMessage(`${what} ${why}`, again).then((picked) => {
      if (picked === again) void attempt(what, work);
    });
  }
}

/** What the gateway holds now. @throws {Error} why it could not be read */
export async function pictureOf({ model }: GatewayActions): Promise<GatewayPicture> {
  await model.loaded();
  if (model.picture && model.problem === undefined) return model.picture;
  await model.look();
  if (model.picture && model.problem === undefined) return model.picture;
  throw new Error(model.problem);
}

/** The id that a row of the tree, or another command, hands over. */
export function targetOf(argument: unknown, kind: string): string | undefined {
  if (typeof argument === 'string') return argument;
  if (typeof argument !== 'object' || argument === null || !('kind' in argument) || !('target' in argument))
    return undefined;
  return argument.kind === kind && typeof argument.target === 'string' ? argument.target : undefined;
}

/**
 * Asks for one of several.
 * @param placeHolder the question: the title names only the command
 * @returns `undefined` where the person gave up, or there is none and `none` was said
 */
export async function choose<T>(
  all: readonly T[],
  title: string,
  placeHolder: string,
  toItem: (it: T) => vscode.QuickPickItem,
  none = '',
): Promise<T | undefined> {
  if (all.length === 0) {
    void vscode.window.showInformationMessage(none);
    return undefined;
  }
  const items = all.map((it) => ({ ...toItem(it), it }));
  const picked = await vscode.window.showQuickPick(items, {
    title,
    placeHolder,
    matchOnDescription: true,
    ignoreFocusOut: true,
  });
  return picked?.it;
}

/** One of these files; the only one without a question. */
export async function chooseFile(files: readonly vscode.Uri[], title: string): Promise<vscode.Uri | undefined> {
  if (files.length === 1) return files[0];
  const { l10n, workspace } = vscode;
  return choose(files, title, l10n.t('Which file?'), (it) => ({ label: workspace.asRelativePath(it) }));
}

/** Asks in a dialog that cannot be overlooked. */
export async function isAgreed(question: string, detail: string, go: string): Promise<boolean> {
  return (await vscode.window.showWarningMessage(question, { modal: true, detail }, go)) === go;
}

/** Whether a server or an agent may be removed. */
export function mayRemove(name: string): Promise<boolean> {
  const { l10n } = vscode;
  return isAgreed(
    l10n.t('Remove "{0}" from the gateway?', name),
    l10n.t('Its registration and credentials will be deleted. Log entries will be kept.'),
    l10n.t('Remove'),
  );
}

/** @param label what was copied, for the status bar */
export async function copy(text: string, label: string): Promise<void> {
  await vscode.env.clipboard.writeText(text);
  vscode.window.setStatusBarMessage(vscode.l10n.t('Copied: {0}', label), 5000);
}

/** What is wrong with an address. */
export function addressProblem(text: string, example: string): string | undefined {
  return /^https?:\/\/\S+$/.test(text) && URL.canParse(text)
    ? undefined
    : vscode.l10n.t('Enter an HTTP or HTTPS address, such as {0}', example);
}

/** An answer in words. `undefined`: the person gave up. */
export function askText(
  title: string,
  prompt: string,
  options: {
    readonly value?: string;
    readonly isSecret?: boolean;
    readonly isOptional?: boolean;
    readonly check?: (value: string) => string | undefined;
  } = {},
): Thenable<string | undefined> {
  return vscode.window.showInputBox({
    title,
    prompt,
    value: options.value ?? '',
    password: options.isSecret ?? false,
    ignoreFocusOut: true,
    validateInput: (value) => {
      if (value.trim() === '') return options.isOptional ? undefined : vscode.l10n.t('This field is required.');
      return options.check?.(value);
    },
  });
}

/** A choice with values of its own. @param placeHolder the question: the title names only the command */
export async function askOne<T extends string | boolean>(
  title: string,
  placeHolder: string,
  options: readonly (vscode.QuickPickItem & { readonly value: T })[],
): Promise<T | undefined> {
  return (await choose(options, title, placeHolder, (it) => it))?.value;
}
