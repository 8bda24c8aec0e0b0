import type { PermissionRule, RuleTrial, RuleVerdict, WindowInfo } from '../../protocol/window.ts';
import { realFolders, toRealPath } from '../context/paths.ts';
import { decidePermission } from '../permissions/decidePermission.ts';
import type { PermissionFacts } from '../permissions/facts.ts';
import { isAbsolutePath, resolvePath } from '../permissions/paths.ts';
import type { HostStorage } from '../storage/hostStorage.ts';
import { readRules } from './grantedRules.ts';

/** What would happen with such a request in a new session in the folders of the window. */
export async function tryRules(
  storage: HostStorage,
  window: Pick<WindowInfo, 'trusted' | 'folders' | 'rules'> | undefined,
  trial: RuleTrial,
): Promise<RuleVerdict> {
  const folders = await realFolders(window?.folders ?? []);
  const facts = await factsOf(trial, folders[0]);
  const rules: readonly PermissionRule[] = [...(window?.rules ?? []), ...readRules(storage)];
  const verdict = decidePermission({ facts, rules, trusted: window?.trusted ?? false, folders });
  const rule = rules.find((it) => it.id === verdict.rule?.id);
  return { verdict: verdict.verdict, because: because(verdict), ...(rule && { rule }) };
}

async function factsOf({ kind, what }: RuleTrial, cwd: string | undefined): Promise<PermissionFacts> {
  switch (kind) {
    case 'shell':
      return { kind, command: what, paths: [], ...(cwd !== undefined && { cwd }) };
    case 'fetch':
      return { kind, toolInput: what, paths: [] };
    case 'other':
      return { kind, toolName: what, paths: [] };
    default: {
      const path = cwd === undefined || isAbsolutePath(what) ? what : resolvePath(cwd, what);
      return { kind, paths: [isAbsolutePath(path) ? await toRealPath(path) : path] };
    }
  }
}

function because(verdict: ReturnType<typeof decidePermission>): RuleVerdict['because'] {
  if (verdict.verdict === 'ask') return verdict.because;
  if (verdict.rule) return 'rule';
  return verdict.verdict === 'deny' ? 'untrusted' : 'default';
}
