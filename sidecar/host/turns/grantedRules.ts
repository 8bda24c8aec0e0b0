import { PermissionRule } from '../../protocol/window.ts';
import type { EffectDeps } from '../context/effectDeps.ts';
import type { HostStorage } from '../storage/hostStorage.ts';

/** The rules that a person saved with an answer, oldest first. */
export function readRules(storage: HostStorage): PermissionRule[] {
  return storage.small.rules().map((it) => PermissionRule.parse(JSON.parse(it)));
}

/** Keeps what a wider answer than once allowed or denied; a rule that is there already is not doubled. */
export function saveRule(
  deps: Pick<EffectDeps, 'storage' | 'store' | 'newId'>,
  given: Pick<PermissionRule, 'target' | 'pattern' | 'input' | 'session' | 'folder'> &
    Partial<Pick<PermissionRule, 'effect'>>,
): void {
  const granted = { effect: 'allow' as const, ...given };
  const { effect, target, pattern, input, session, folder } = granted;
  const isKnown = readRules(deps.storage).some((it) =>
    (['effect', 'target', 'pattern', 'input', 'session', 'folder'] as const).every(
      (member) => it[member] === granted[member],
    ),
  );
  if (isKnown) return;
  const rule: PermissionRule = {
    id: deps.newId(),
    effect,
    target,
    pattern,
    source: 'granted',
    ...(input !== undefined && { input }),
    ...(session !== undefined && { session }),
    ...(folder !== undefined && { folder }),
  };
  deps.store.writeRows(() => deps.storage.small.putRule(rule.id, JSON.stringify(rule)));
}

/** Forgets the rules of a session that is gone. */
export function forgetSessionRules(deps: Pick<EffectDeps, 'storage' | 'store'>, session: string): void {
  const ids = readRules(deps.storage)
    .filter((it) => it.session === session)
    .map((it) => it.id);
  if (ids.length > 0) deps.store.writeRows(() => ids.forEach((id) => void deps.storage.small.removeRule(id)));
}
