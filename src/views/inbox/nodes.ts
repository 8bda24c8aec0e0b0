import { parkedUntil } from '../../../sidecar/protocol/channels/session/parked.ts';
import type { SessionSummary } from '../../../sidecar/protocol/channels/session/schema.ts';
import type { PendingRequest } from '../../client/attention.ts';
import { confirmationFacts, pathOf } from '../../client/confirmations.ts';
import { askedText, subAgentName, withSubAgent } from '../../client/texts.ts';
import { commandIds } from '../../manifest/manifest.ts';
import { timeLeft } from '../../platform/ages.ts';
import { countsText } from '../../platform/counts.ts';
import { fromHost, type Localizer } from '../../platform/localizer.ts';
import { subjectText } from '../../platform/subjects.ts';

/**
 * One row for each thing that waits, in the Inbox and below its session. Commands of the row get it as it is, by `id`: the one-time id of an answer, without
 * which nobody can name the row.
 */
export interface InboxNode {
  readonly id: string;
  /** Of the request. */
  readonly key: string;
  readonly label: string;
  readonly description: string;
  /** The whole text, with its lines. */
  readonly tooltip: string;
  readonly icon: string;
  /** Words for `when` clauses: `confirm oneClick session always`, `question` or `signIn`. */
  readonly contextValue: string;
  /** What a click on the row does. */
  readonly command: string;
  readonly spoken: string;
}

const icons: Readonly<Record<string, string>> = {
  shell: 'terminal',
  edit: 'edit',
  read: 'eye',
  delete: 'trash',
  move: 'move',
  search: 'search',
  fetch: 'globe',
};

export function inboxNodes(
  l10n: Localizer,
  pending: readonly PendingRequest[],
  idOf: (key: string) => string,
): InboxNode[] {
  return pending.map((it) => ({ key: it.key, id: idOf(it.key), ...toRow(l10n, it, it.session.title) }));
}

/** Sessions that wait for the end of a usage limit, the one that goes on first. Nobody has to do anything. */
export function parkedNodes(l10n: Localizer, sessions: readonly SessionSummary[], nowMs: number): InboxNode[] {
  return sessions
    .flatMap((session) => {
      const until = parkedUntil(session._meta);
      return until === undefined ? [] : [{ session, until }];
    })
    .toSorted((a, b) => Date.parse(a.until) - Date.parse(b.until))
    .map(({ session, until }) => {
      const title = session.title || l10n.t('New session');
      const label = l10n.t('Usage limit: resumes in {0}', timeLeft(l10n, until, nowMs));
      return {
        id: `parked/${session.resource}`,
        key: session.resource,
        label,
        description: title,
        tooltip: l10n.t(
          'The agent reached a usage limit. Open the chat to resume now or to continue with another agent.',
        ),
        icon: 'watch',
        contextValue: 'parked',
        command: commandIds.openSession,
        spoken: `${title}, ${label}`,
      };
    });
}

/** The rows below the session that asks, whose title stands above them. */
export function requestNodes(
  l10n: Localizer,
  pending: readonly PendingRequest[],
  idOf: (key: string) => string,
): InboxNode[] {
  return pending.map((it) => {
    const row = toRow(l10n, it, undefined);
    return { key: it.key, id: idOf(it.key), ...row, contextValue: `request ${row.contextValue}` };
  });
}

/** @param shownTitle of the session; `undefined` where the row stands below it */
function toRow(
  l10n: Localizer,
  { session, request }: PendingRequest,
  shownTitle: string | undefined,
): Omit<InboxNode, 'id' | 'key'> {
  const name = subAgentName(session, request.chat);
  const title = withSubAgent(session.title || l10n.t('New session'), name);
  const shown = shownTitle === undefined ? name : title;
  switch (request.kind) {
    case 'toolConfirmation': {
      const facts = confirmationFacts(request);
      const subject = subjectText(l10n, facts);
      const counts = countsText(facts.added, facts.removed);
      const danger = facts.isOneClick ? [] : [l10n.t('needs review')];
      return {
        label: facts.isResult ? l10n.t('Show result: {0}', subject) : subject,
        description: [counts, shown, ...danger].filter((it) => it !== '').join(' · '),
        tooltip: [facts.fullSubject, facts.cwd ?? '', ...facts.paths.map(pathOf)].filter((it) => it !== '').join('\n'),
        icon: icons[facts.toolKind] ?? 'tools',
        contextValue: [
          'confirm',
          ...(facts.isOneClick ? ['oneClick'] : []),
          ...(facts.options.has('allow-session') ? ['session'] : []),
          ...(facts.options.has('allow-always') ? ['always'] : []),
        ].join(' '),
        command: commandIds.openRequest,
        spoken: l10n.t('{0} wants to run: {1}', title, subject),
      };
    }
    case 'toolAuthentication': {
      const { resource } = request.toolCall.auth;
      const name = resource.resource_name ?? resource.resource;
      return {
        label: l10n.t('Sign in to {0}', name),
        description: shown,
        tooltip: request.toolCall.auth.description ?? resource.resource,
        icon: 'key',
        contextValue: 'signIn',
        command: commandIds.signIn,
        spoken: l10n.t('{0} needs you to sign in to {1}', title, name),
      };
    }
    case 'chatInput': {
      const { message } = request.request;
      const text = askedText(request.request);
      const label = text === undefined ? l10n.t('A question') : fromHost(l10n, text);
      return {
        label,
        description: shown,
        tooltip: message ?? label,
        icon: 'question',
        contextValue: 'question',
        command: commandIds.answer,
        spoken: l10n.t('{0} asks: {1}', title, label),
      };
    }
    default:
      return {
        label: l10n.t('Not supported in this version'),
        description: shown,
        tooltip: request.kind,
        icon: 'question',
        contextValue: 'unknown',
        command: commandIds.openRequest,
        spoken: title,
      };
  }
}
