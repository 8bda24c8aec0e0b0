import * as vscode from 'vscode';
import type {
  ChatInputAnswers,
  ChatInputQuestion,
  ChatInputRequest,
} from '../../sidecar/protocol/channels/chat/inputRequests.ts';
import { fromHost } from '../platform/localizer.ts';
import { type Given, picksProblem, problemOf, toAnswer } from './questions.ts';

interface Pick extends vscode.QuickPickItem {
  readonly id: string;
  /** The row that lets a person type an answer of their own. */
  readonly isFreeform?: boolean;
}

/** Asks every question in turn. Answers `undefined` when the person stepped out: the request stays open. */
export async function askQuestions(title: string, request: ChatInputRequest): Promise<ChatInputAnswers | undefined> {
  const questions = request.questions ?? [];
  const answers: ChatInputAnswers = {};
  for (const [index, question] of questions.entries()) {
    const step = questions.length > 1 ? ` (${index + 1}/${questions.length})` : '';
    const given = await ask(`${title}${step}`, question);
    if (given === undefined) return undefined;
    answers[question.id] = toAnswer(question, given);
  }
  return answers;
}

async function ask(title: string, question: ChatInputQuestion): Promise<Given | undefined> {
  switch (question.kind) {
    case 'boolean':
      return askYesNo(title, question);
    case 'single-select':
      return askOne(title, question);
    case 'multi-select':
      return askMany(title, question);
    default:
      return askText(title, question);
  }
}

async function askText(title: string, question: ChatInputQuestion): Promise<Given | undefined> {
  const initial = 'defaultValue' in question ? String(question.defaultValue ?? '') : '';
  const text = await vscode.window.showInputBox({
    title,
    prompt: fromHost(vscode.l10n, question.message),
    value: initial,
    ignoreFocusOut: true,
    validateInput: (typed) => problemOf(vscode.l10n, question, typed),
  });
  return text === undefined ? undefined : { kind: 'typed', text };
}

async function askYesNo(
  title: string,
  question: Extract<ChatInputQuestion, { kind: 'boolean' }>,
): Promise<Given | undefined> {
  const yes: Pick = { id: 'yes', label: vscode.l10n.t('Yes') };
  const no: Pick = { id: 'no', label: vscode.l10n.t('No') };
  const items = question.defaultValue === false ? [no, yes] : [yes, no];
  const picked = await vscode.window.showQuickPick(items, {
    title,
    placeHolder: fromHost(vscode.l10n, question.message),
    ignoreFocusOut: true,
  });
  return picked && { kind: 'yesNo', value: picked.id === 'yes' };
}

async function askOne(
  title: string,
  question: Extract<ChatInputQuestion, { kind: 'single-select' }>,
): Promise<Given | undefined> {
  const items = [...picks(question.options), ...(question.allowFreeformInput ? [freeformPick()] : [])];
  const picked = await vscode.window.showQuickPick(items, {
    title,
    placeHolder: fromHost(vscode.l10n, question.message),
    ignoreFocusOut: true,
  });
  if (picked === undefined) return undefined;
  if (!picked.isFreeform) return { kind: 'picked', ids: [picked.id] };
  return askFreeform(title, question, []);
}

async function askMany(
  title: string,
  question: Extract<ChatInputQuestion, { kind: 'multi-select' }>,
): Promise<Given | undefined> {
  const items = [...picks(question.options), ...(question.allowFreeformInput ? [freeformPick()] : [])];
  for (let hint = question.message; ; ) {
    const picked = await vscode.window.showQuickPick(items, {
      title,
      placeHolder: hint,
      canPickMany: true,
      ignoreFocusOut: true,
    });
    if (picked === undefined) return undefined;
    const problem = picksProblem(vscode.l10n, question, picked.length);
    const ids = picked.filter((it) => !it.isFreeform).map((it) => it.id);
    if (problem === undefined) {
      return ids.length === picked.length ? { kind: 'picked', ids } : askFreeform(title, question, ids);
    }
    hint = `${question.message} — ${problem}`;
  }
}

async function askFreeform(
  title: string,
  question: ChatInputQuestion,
  ids: readonly string[],
): Promise<Given | undefined> {
  const typed = await vscode.window.showInputBox({
    title,
    prompt: fromHost(vscode.l10n, question.message),
    ignoreFocusOut: true,
  });
  return typed === undefined ? undefined : { kind: 'picked', ids, freeform: typed };
}

function picks(options: Extract<ChatInputQuestion, { kind: 'single-select' }>['options']): Pick[] {
  return options.map(({ id, label, description, recommended }) => ({
    id,
    label: `${recommended ? '$(star-full) ' : ''}${fromHost(vscode.l10n, label)}`,
    ...(description === undefined ? {} : { description: fromHost(vscode.l10n, description) }),
  }));
}

function freeformPick(): Pick {
  return { id: '', label: `$(edit) ${vscode.l10n.t('Something else…')}`, isFreeform: true };
}
