import * as vscode from 'vscode';
import { visibleText } from '../../sidecar/protocol/visibleText.ts';
import { claimOf } from '../client/answerIds.ts';
import type { PendingRequest, Waiting } from '../client/attention.ts';
import { confirmationFacts, type WiderOption } from '../client/confirmations.ts';
import { askedText, subAgentName, withSubAgent } from '../client/texts.ts';
import { commandIds } from '../manifest/manifest.ts';
import { onCommand } from '../platform/commandHandlers.ts';
import { fromHost } from '../platform/localizer.ts';
import { subjectText } from '../platform/subjects.ts';
import { Answers, type AnswersDeps, type Decision } from './answers.ts';
import { askQuestions } from './askQuestions.ts';
import { nextSession } from './nextSession.ts';
import { completed, isAskable } from './questions.ts';

export interface AnsweringDeps extends Omit<AnswersDeps, 'openChat'> {
  readonly attention: Waiting;
  readonly chats: {
    open(session: string, options?: { readonly chat: string }): void;
    /** The session of the chat that was used last. */
    readonly active: string | undefined;
  };
}

/**
 * What rows, notifications and picks call. Each gets the key of a request; those that answer a tool call get the one-time id
 * of the row or notification as well, and the others only show something to a person.
 */
export function registerAnswering({ chats, ...rest }: AnsweringDeps): vscode.Disposable {
  const deps = {
    ...rest,
    openChat: (session: string, chat?: string) => chats.open(session, chat === undefined ? undefined : { chat }),
  };
  const { attention, ids } = deps;
  const answers = new Answers(deps);
  const on = (command: string, run: (pending: PendingRequest) => unknown) =>
    onCommand(command, async (argument: unknown) => {
      const pending = attention.find(claimOf(argument).key);
      if (pending) await run(pending);
      else showAnswered();
    });
  const onAnswer = (command: string, choose: Parameters<Answers['answer']>[1]) =>
    onCommand(command, async (argument: unknown) => {
      if (!(await answers.answer(claimOf(argument), choose))) showAnswered();
    });
  return vscode.Disposable.from(
    onAnswer(commandIds.allowOnce, () => ({ option: 'allow-once' })),
    onAnswer(commandIds.allowSession, (it) => allowWider(it, 'allow-session')),
    onAnswer(commandIds.allowAlways, (it) => allowWider(it, 'allow-always')),
    onAnswer(commandIds.allowRule, chooseRule),
    onAnswer(commandIds.deny, () => ({ option: 'deny' })),
    onAnswer(commandIds.denyWithReason, denyWithReason),
    on(commandIds.answer, (it) => answerQuestions(deps, it)),
    on(commandIds.openRequest, (it) => deps.openChat(it.session.resource, it.request.chat)),
    onCommand(commandIds.reviewRequests, () => review(deps, answers)),
    onCommand(commandIds.nextRequest, () => {
      const next = nextSession(attention.pending, chats.active);
      if (next === undefined) void vscode.window.showInformationMessage(vscode.l10n.t('Nothing needs your attention.'));
      else deps.openChat(next);
    }),
    { dispose: attention.onDidChange(() => ids.keepOnly(attention.pending.map((it) => it.key))).dispose },
  );
}

function showAnswered(): void {
  void vscode.window.showInformationMessage(vscode.l10n.t('This request has already been answered.'));
}

/** The rule is shown before it is saved: a menu cannot name it. */
async function allowWider(
  { request, session }: PendingRequest,
  option: 'allow-session' | 'allow-always',
): Promise<Decision | undefined> {
  if (request.kind !== 'toolConfirmation') return undefined;
  const { rule, subject } = confirmationFacts(request);
  const isAlways = option === 'allow-always';
  const save = isAlways ? vscode.l10n.t('Always Allow') : vscode.l10n.t('Allow in This Session');
  const title = session.title || vscode.l10n.t('New session');
  const picked = await vscode.window.showWarningMessage(
    isAlways ? vscode.l10n.t('Always allow this?') : vscode.l10n.t('Allow this in "{0}"?', visibleText(title)),
    {
      modal: true,
      detail: isAlways
        ? vscode.l10n.t(
            'This rule will be saved and will apply to every session:\n\n{0}\n\nYou can remove it later with "Manage Approvals…".',
            rule ?? subject,
          )
        : vscode.l10n.t(
            'This rule will be saved and will apply to this session:\n\n{0}\n\nYou can remove it later with "Manage Approvals…".',
            rule ?? subject,
          ),
    },
    save,
  );
  return picked === save ? { option } : undefined;
}

/** Every rule that may be saved, each as it is: choosing one saves it. */
async function chooseRule({ request }: PendingRequest): Promise<Decision | undefined> {
  if (request.kind !== 'toolConfirmation') return undefined;
  const scopes = {
    session: vscode.l10n.t('in this session'),
    workspace: vscode.l10n.t('in all sessions in this workspace'),
    always: vscode.l10n.t('in all sessions'),
  };
  const picked = await vscode.window.showQuickPick(
    confirmationFacts(request).offers.map(({ option, scope, rule }) => ({
      label: rule,
      description: scopes[scope],
      option: option as WiderOption,
    })),
    { title: vscode.l10n.t('Allow and Save This Rule'), matchOnDescription: true, ignoreFocusOut: true },
  );
  return picked && { option: picked.option };
}

async function denyWithReason(): Promise<Decision | undefined> {
  const typed = await vscode.window.showInputBox({
    title: vscode.l10n.t('Deny with Reason'),
    prompt: vscode.l10n.t('The agent will see your reason and may try something else.'),
    ignoreFocusOut: true,
  });
  if (typed === undefined) return undefined;
  const reason = typed.trim();
  return reason === '' ? { option: 'deny' } : { option: 'deny-with-reason', reason };
}

async function answerQuestions(deps: AnswersDeps, { session, request }: PendingRequest): Promise<void> {
  if (request.kind !== 'chatInput') return;
  if (!isAskable(request.request) || request.request.url !== undefined)
    return deps.openChat(session.resource, request.chat);
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
function review(deps: AnswersDeps & Pick<AnsweringDeps, 'attention'>, answers: Answers): void {
  const allow = allowButton();
  const deny = denyButton();
  const pick = vscode.window.createQuickPick<RequestPick>();
  pick.title = vscode.l10n.t('Pending Requests');
  pick.matchOnDescription = true;
  pick.ignoreFocusOut = true;
  const fill = () => {
    pick.items = deps.attention.pending.map((it) => toPick(it, allow, deny));
    pick.placeholder =
      pick.items.length === 0
        ? vscode.l10n.t('Nothing needs your attention.')
        : vscode.l10n.t('Select a request to open its chat');
  };
  fill();
  const stop = vscode.Disposable.from(
    { dispose: deps.attention.onDidChange(fill).dispose },
    pick.onDidTriggerItemButton(({ item, button }) =>
      answers.send(item.pending, { option: button === allow ? 'allow-once' : 'deny' }),
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
  const description = withSubAgent(session.title, subAgentName(session, request.chat));
  switch (request.kind) {
    case 'toolConfirmation': {
      const facts = confirmationFacts(request);
      return {
        pending,
        label: subjectText(vscode.l10n, facts),
        description,
        buttons: facts.isOneClick ? [allow, deny] : [deny],
      };
    }
    case 'chatInput':
      return {
        pending,
        label: fromHost(vscode.l10n, askedText(request.request) ?? ''),
        description,
      };
    case 'toolAuthentication':
      return { pending, label: vscode.l10n.t('Sign in to {0}', request.toolCall.auth.resource.resource), description };
    default:
      return { pending, label: session.title, description };
  }
}
