import { fromHost, type Localizer } from './localizer.ts';

/**
 * What a tool call is about to do, in the editor's language. A command stays as it is.
 *
 * @param facts of a request for permission
 */
export function subjectText(l10n: Localizer, facts: { readonly toolKind: string; readonly subject: string }): string {
  return facts.toolKind === 'shell' ? facts.subject : fromHost(l10n, facts.subject);
}
