import { decidePermission, type PermissionQuestion } from './decidePermission.ts';

/** Files that rules keep from being read without a question. Paths as they were given. */
export interface ReadLimits {
  readonly denied: ReadonlySet<string>;
  readonly asking: ReadonlySet<string>;
}

/** What rules say about reading each of many files. Pure. */
export function readLimits(question: Omit<PermissionQuestion, 'facts'>, paths: readonly string[]): ReadLimits {
  const [denied, asking] = [new Set<string>(), new Set<string>()];
  const rules = question.rules.filter((it) => it.target === 'read' && it.effect !== 'allow');
  if (rules.length === 0 && question.trusted) return { denied, asking };
  for (const path of paths) {
    const verdict = decidePermission({ ...question, rules, facts: { kind: 'read', paths: [path] } });
    if (verdict.verdict === 'deny') denied.add(path);
    else if (verdict.verdict === 'ask' && verdict.because === 'rule') asking.add(path);
  }
  return { denied, asking };
}
