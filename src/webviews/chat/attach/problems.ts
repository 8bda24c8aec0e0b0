import * as vscode from 'vscode';
import type { MessageAttachment } from '../../../../sidecar/protocol/shared.ts';
import type { AttachingDeps } from './attachModule.ts';
import { NotAttached, textAttachment } from './kept.ts';

type Found = readonly [vscode.Uri, readonly vscode.Diagnostic[]];
interface ProblemsItem extends vscode.QuickPickItem {
  readonly found: readonly Found[];
}

const severities = ['error', 'warning', 'information', 'hint'];

/** Those of the workspace, of one file, or one of them. */
export async function pickProblems(deps: AttachingDeps): Promise<MessageAttachment | undefined> {
  const all = vscode.languages.getDiagnostics().filter(([, them]) => them.length > 0);
  if (all.length === 0)
    throw new NotAttached(vscode.l10n.t('VS Code has found no problems, so there are none to attach.'));
  const last = deps.lastEditor()?.document.uri.toString();
  const files = [...all].sort(([a], [b]) => Number(b.toString() === last) - Number(a.toString() === last));
  const items: ProblemsItem[] = [
    { label: vscode.l10n.t('All problems in the workspace'), description: String(countOf(all)), found: all },
    ...files.flatMap(([uri, them]): ProblemsItem[] => [
      { label: '', kind: vscode.QuickPickItemKind.Separator, found: [] },
      {
        label: vscode.l10n.t('All problems in {0}', vscode.workspace.asRelativePath(uri)),
        description: String(them.length),
        found: [[uri, them]],
      },
      ...them.map((it) => ({
        label: it.message.split('\n', 1)[0] ?? '',
        description: whereOf(it),
        found: [[uri, [it]]] as const,
      })),
    ]),
  ];
  const picked = await vscode.window.showQuickPick(items, {
    ignoreFocusOut: true,
    placeHolder: vscode.l10n.t('Choose the problems to attach'),
    matchOnDescription: true,
  });
  if (!picked) return undefined;
  const text = picked.found.flatMap(([uri, them]) => them.map((it) => lineOf(uri, it))).join('\n');
  return textAttachment(deps, labelOf(picked.found), text, 'problems');
}

function labelOf(found: readonly Found[]): string {
  const [uri, them] = found[0]!;
  const place = vscode.workspace.asRelativePath(uri);
  if (found.length > 1) return vscode.l10n.t('Problems in the workspace');
  return them.length > 1
    ? vscode.l10n.t('Problems in {0}', place)
    : vscode.l10n.t('Problem in {0}', `${place}:${them[0]!.range.start.line + 1}`);
}

/** Place, severity, who found it, and what it says, as compilers print it. */
function lineOf(uri: vscode.Uri, { range, severity, source, code, message }: vscode.Diagnostic): string {
  const id = typeof code === 'object' ? code.value : code;
  const by = [source, id === undefined ? '' : `(${id})`].filter(Boolean).join('');
  const place = `${vscode.workspace.asRelativePath(uri)}:${range.start.line + 1}:${range.start.character + 1}`;
  return `${place} ${severities[severity]}${by && ` ${by}`}: ${message}`;
}

const whereOf = ({ range }: vscode.Diagnostic) => `${range.start.line + 1}:${range.start.character + 1}`;

function countOf(found: readonly Found[]): number {
  return found.reduce((sum, [, them]) => sum + them.length, 0);
}
