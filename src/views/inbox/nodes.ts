import type { PendingRequest } from '../../client/attention.ts';
import { confirmationFacts, pathOf } from '../../client/confirmations.ts';
import { commandIds } from '../../manifest/manifest.ts';
import { countsText } from '../../platform/counts.ts';
import type { Localizer } from '../../platform/localizer.ts';

/** One row for each thing that waits. `id` is the key of the request. */
export interface InboxNode {
  readonly id: string;
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

export function inboxNodes(l10n: Localizer, pending: readonly PendingRequest[]): InboxNode[] {
  return pending.map((it) => toNode(l10n, it));
}

function toNode(l10n: Localizer, { key, session, request }: PendingRequest): InboxNode {
  const title = session.title || l10n.t('New session');
  switch (request.kind) {
    case 'toolConfirmation': {
      const facts = confirmationFacts(request);
      const counts = countsText(facts.added, facts.removed);
      const danger = facts.isOneClick ? [] : [l10n.t('look first')];
      return {
        id: key,
        label: facts.isResult ? l10n.t('Show result: {0}', facts.subject) : facts.subject,
        description: [counts, title, ...danger].filter((it) => it !== '').join(' · '),
        tooltip: [facts.fullSubject, facts.cwd ?? '', ...facts.paths.map(pathOf)].filter((it) => it !== '').join('\n'),
        icon: icons[facts.toolKind] ?? 'tools',
        contextValue: [
          'confirm',
          ...(facts.isOneClick ? ['oneClick'] : []),
          ...(facts.options.has('allow-session') ? ['session'] : []),
          ...(facts.options.has('allow-always') ? ['always'] : []),
        ].join(' '),
        command: commandIds.openRequest,
        spoken: l10n.t('{0} wants to run: {1}', title, facts.subject),
      };
    }
    case 'toolAuthentication': {
      const { resource } = request.toolCall.auth;
      const name = resource.resource_name ?? resource.resource;
      return {
        id: key,
        label: l10n.t('Sign in to {0}', name),
        description: title,
        tooltip: request.toolCall.auth.description ?? resource.resource,
        icon: 'key',
        contextValue: 'signIn',
        command: commandIds.signIn,
        spoken: l10n.t('{0} needs you to sign in to {1}', title, name),
      };
    }
    case 'chatInput': {
      const { message, questions } = request.request;
      const label = questions?.[0]?.message ?? message ?? l10n.t('A question');
      return {
        id: key,
        label,
        description: title,
        tooltip: message ?? label,
        icon: 'question',
        contextValue: 'question',
        command: commandIds.answer,
        spoken: l10n.t('{0} asks: {1}', title, label),
      };
    }
    default:
      return {
        id: key,
        label: l10n.t('Something this version does not know'),
        description: title,
        tooltip: request.kind,
        icon: 'question',
        contextValue: 'unknown',
        command: commandIds.openRequest,
        spoken: title,
      };
  }
}
