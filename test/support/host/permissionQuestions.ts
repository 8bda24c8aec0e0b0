import {
  decidePermission,
  type PermissionQuestion,
  type PermissionVerdict,
} from '../../../sidecar/host/permissions/decidePermission.ts';
import type { PermissionFacts, Rule } from '../../../sidecar/host/permissions/facts.ts';

/** The folders of the session that {@link decide} asks about. */
export const folders: readonly string[] = ['/ws'];

export const shell = (command: string, cwd = '/ws'): PermissionFacts => ({ kind: 'shell', command, cwd, paths: [] });

export const file = (kind: PermissionFacts['kind'], ...paths: string[]): PermissionFacts => ({ kind, paths });

/** @param text effect, target, source and pattern, as `allow shell user npm test*` */
export function parseRule(text: string, n = 0): Rule {
  const [effect, target, source, ...pattern] = text.split(' ');
  return { id: String(n), effect, target, source, pattern: pattern.join(' ') } as unknown as Rule;
}

/** The verdict in a trusted workspace whose folder is `/ws`. */
export const decide = (
  facts: PermissionFacts,
  rules: readonly string[],
  more: Partial<PermissionQuestion> = {},
): PermissionVerdict => decidePermission({ facts, rules: rules.map(parseRule), trusted: true, folders, ...more });

/** `deny`, `allow: rule` or `ask: outside`. */
export const inWords = (verdict: PermissionVerdict): string =>
  verdict.verdict === 'ask' ? `ask: ${verdict.because}` : verdict.verdict === 'allow' ? `allow: ${verdict.by}` : 'deny';
