import type { PendingRequest } from '../client/attention.ts';
import { confirmationFacts, fileNames } from '../client/confirmations.ts';
import { askedText, subAgentName, withSubAgent } from '../client/texts.ts';
import { commandIds } from '../manifest/manifest.ts';
import { countsText } from '../platform/counts.ts';
import { fromHost, type Localizer } from '../platform/localizer.ts';
import { subjectText } from '../platform/subjects.ts';
import { commandLink, escapeTitle, MAX_TITLE_TEXT } from './escape.ts';

/**
 * The title of the one notification for these requests. Several are one notification with one way to go on. `idOf` is the
 * one-time id of an answer to the request of that key.
 */
export function toastTitle(l10n: Localizer, pending: readonly PendingRequest[], idOf: (key: string) => string): string {
  const [only] = pending;
  if (only === undefined) return '';
  if (pending.length > 1) {
    const sessions = new Set(pending.map((it) => it.session.resource)).size;
    const text =
      sessions === 1
        ? l10n.t('{0} requests need you', pending.length)
        : l10n.t('{0} requests in {1} sessions need you', pending.length, sessions);
    return `${text} — ${commandLink(l10n.t('Review…'), commandIds.reviewRequests)}`;
  }
  return `${sentence(l10n, only)} — ${links(l10n, only, idOf).join(' · ')}`;
}

function sentence(l10n: Localizer, { session, request }: PendingRequest): string {
  const name = subAgentName(session, request.chat);
  const title = escapeTitle(withSubAgent(session.title || l10n.t('New session'), name), 60);
  switch (request.kind) {
    case 'toolConfirmation': {
      const facts = confirmationFacts(request);
      if (facts.toolKind === 'shell') return l10n.t('{0} wants to run: {1}', title, escapeTitle(facts.subject));
      const names = escapeTitle(fileNames(facts));
      const counts = countsText(facts.added, facts.removed);
      if (facts.toolKind === 'edit' && names)
        return l10n.t('{0} wants to edit: {1}', title, `${names} ${counts}`.trim());
      return l10n.t('{0} asks: {1}', title, escapeTitle(subjectText(l10n, facts)));
    }
    case 'toolAuthentication': {
      const { resource } = request.toolCall.auth;
      return l10n.t('{0} needs you to sign in to {1}', title, escapeTitle(resource.resource_name ?? resource.resource));
    }
    case 'chatInput': {
      return l10n.t('{0} asks: {1}', title, escapeTitle(fromHost(l10n, askedText(request.request) ?? '')));
    }
    default:
      return l10n.t('{0} needs you', title);
  }
}

/**
 * Nobody is offered to allow what is destructive, leaves the workspace, or is not to be read here literally: too long, of
 * several lines, or with backticks, which a title cannot show.
 */
function isShownWhole(request: Extract<PendingRequest['request'], { kind: 'toolConfirmation' }>): boolean {
  const facts = confirmationFacts(request);
  const { isOneClick, fullSubject, subject } = facts;
  return (
    isOneClick && !/[`\n]/.test(fullSubject) && [subject, fileNames(facts)].every((it) => it.length <= MAX_TITLE_TEXT)
  );
}

function links(l10n: Localizer, { key, request }: PendingRequest, idOf: (key: string) => string): string[] {
  const review = commandLink(l10n.t('Review…'), commandIds.openRequest, key);
  switch (request.kind) {
    case 'toolConfirmation': {
      if (!isShownWhole(request)) return [review];
      const claim = { key, id: idOf(key) };
      return [
        commandLink(l10n.t('Allow once'), commandIds.allowOnce, claim),
        commandLink(l10n.t('Deny'), commandIds.deny, claim),
        review,
      ];
    }
    case 'toolAuthentication':
      return [commandLink(l10n.t('Sign in…'), commandIds.signIn, key)];
    case 'chatInput':
      return [commandLink(l10n.t('Answer…'), commandIds.answer, key)];
    default:
      return [review];
  }
}
