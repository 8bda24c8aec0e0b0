import * as vscode from 'vscode';
import type { PendingRequest, Waiting } from '../client/attention.ts';
import { confirmationFacts, decide, type OptionId } from '../client/confirmations.ts';
import type { HostPort } from '../client/port.ts';
import { commandIds } from '../manifest/manifest.ts';
import { askQuestions } from './askQuestions.ts';
import { completed, isAskable } from './questions.ts';

export interface AnsweringDeps {
  /** The host on which something waits. */
  readonly portOf: (session: string) => Pick<HostPort, 'dispatch'>;
  readonly attention: Waiting;
  /** Shows the chat that asks, with its card. */
  readonly openChat: (session: string) => void;
}

/** What rows, notifications and picks call. Each gets the key of a request, as text or in a row of the Inbox. */
export function registerAnswering(deps: AnsweringDeps): vscode.Disposable {
  const on = (command: string, run: (pending: PendingRequest) => unknown) =>
    vscode.commands.registerCommand(command, async (argument: unknown) => {
      const pending = deps.attention.find(keyOf(argument));
      if (pending) await run(pending);
      else void vscode.window.showInformationMessage(vscode.l10n.t('This was answered already.'));
    });
  const answer = (option: OptionId) => (pending: PendingRequest) => send(deps, pending, option);
  return vscode.Disposable.from(
    on(commandIds.allowOnce, answer('allow-once')),
    on(commandIds.allowSession, answer('allow-session')),
    on(commandIds.allowAlways, (it) => allowAlways(deps, it)),
    on(commandIds.deny, answer('deny')),
    on(commandIds.denyWithReason, (it) => denyWithReason(deps, it)),
    on(commandIds.answer, (it) => answerQuestions(deps, it)),
    on(commandIds.openRequest, (it) => deps.openChat(it.session.resource)),
    vscode.commands.registerCommand(commandIds.reviewRequests, () => review(deps)),
  );
}

export function keyOf(argument: unknown): string {
  if (typeof argument === 'string') return argument;
  if (typeof argument === 'object' && argument !== null && 'id' in argument && typeof argument.id === 'string') {
    return argument.id;
  }
  return '';
}

function send(
  { portOf }: AnsweringDeps,
  { session, request }: PendingRequest,
  option: OptionId,
  reason?: string,
): void {
  if (request.kind !== 'toolConfirmation') return;
  portOf(session.resource).dispatch(
    request.chat,
    decide(request, reason === undefined ? { option } : { option, reason }),
  );
}

/** The rule is shown before it is saved: it holds for every session from then on. */
async function allowAlways(deps: AnsweringDeps, pending: PendingRequest): Promise<void> {
  if (pending.request.kind !== 'toolConfirmation') return;
  const { rule, subject } = confirmationFacts(pending.request);
  const save = vscode.l10n.t('Always Allow');
  const picked = await vscode.window.showWarningMessage(
    vscode.l10n.t('Always allow this?'),
    {
      modal: true,
      detail: vscode.l10n.t(
        'This rule is saved and holds in every session:\n\n{0}\n\nYou can take it back with "Manage Approvals…".',
        rule ?? subject,
      ),
    },
    save,
  );
  if (picked === save) send(deps, pending, 'allow-always');
}

async function denyWithReason(deps: AnsweringDeps, pending: PendingRequest): Promise<void> {
  const reason = await vscode.window.showInputBox({
    title: vscode.l10n.t('Deny with Reason'),
    prompt: vscode.l10n.t('The agent is told why, and may try something else.'),
    ignoreFocusOut: true,
  });
  if (reason === undefined) return;
  if (reason.trim() === '') send(deps, pending, 'deny');
  else send(deps, pending, 'deny-with-reason', reason.trim());
}

async function answerQuestions(deps: AnsweringDeps, { session, request }: PendingRequest): Promise<void> {
  if (request.kind !== 'chatInput') return;
  if (!isAskable(request.request) || request.request.url !== undefined) return deps.openChat(session.resource);
  const answers = await askQuestions(session.title, request.request);
  if (answers) deps.portOf(session.resource).dispatch(request.chat, completed(request.request.id, 'accept', answers));
}

interface RequestPick extends vscode.QuickPickItem {
  readonly pending: PendingRequest;
}
const allowButton = (): vscode.QuickInputButton => ({
  iconPath: new vscode.ThemeIcon('check'),
  tooltip: vscode.l10n.t('Allow Once'),
});
const denyButton = (): vscode.QuickInputButton => ({
  iconPath: new vscode.ThemeIcon('close'),
  tooltip: vscode.l10n.t('Deny'),
});

/** Every pending request in one list that stays open while it is worked through. */
function review(deps: AnsweringDeps): void {
  const allow = allowButton();
  const deny = denyButton();
  const pick = vscode.window.createQuickPick<RequestPick>();
  pick.title = vscode.l10n.t('Pending Requests');
  pick.matchOnDescription = true;
  const fill = () => {
    pick.items = deps.attention.pending.map((it) => toPick(it, allow, deny));
    pick.placeholder =
      pick.items.length === 0 ? vscode.l10n.t('Nothing needs you.') : vscode.l10n.t('Choose one to see it in its chat');
  };
  fill();
  const stop = vscode.Disposable.from(
    { dispose: deps.attention.onDidChange(fill).dispose },
    pick.onDidTriggerItemButton(({ item, button }) =>
      send(deps, item.pending, button === allow ? 'allow-once' : 'deny'),
    ),
    pick.onDidAccept(() => {
      const [chosen] = pick.selectedItems;
      pick.hide();
      if (!chosen) return;
      const { kind } = chosen.pending.request;
      const command =
        kind === 'chatInput'
          ? commandIds.answer
          : kind === 'toolAuthentication'
            ? commandIds.signIn
            : commandIds.openRequest;
      void vscode.commands.executeCommand(command, chosen.pending.key);
    }),
    pick.onDidHide(() => {
      stop.dispose();
      pick.dispose();
    }),
  );
  pick.show();
}

function toPick(pending: PendingRequest, allow: vscode.QuickInputButton, deny: vscode.QuickInputButton): RequestPick {
  const { request, session } = pending;
  const description = session.title;
  switch (request.kind) {
    case 'toolConfirmation': {
      const facts = confirmationFacts(request);
      return { pending, label: facts.subject, description, buttons: facts.isOneClick ? [allow, deny] : [deny] };
    }
    case 'chatInput':
      return { pending, label: request.request.questions?.[0]?.message ?? request.request.message ?? '', description };
    case 'toolAuthentication':
      return { pending, label: vscode.l10n.t('Sign in to {0}', request.toolCall.auth.resource.resource), description };
    default:
      return { pending, label: session.title, description };
  }
}
