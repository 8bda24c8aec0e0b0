import { PermissionRule } from '../../protocol/window.ts';
import type { EffectDeps } from '../context/effectDeps.ts';
import type { ProposedRule } from '../permissions/facts.ts';
import type { HostStorage } from '../storage/hostStorage.ts';

/** The rules that a person granted, oldest first. */
export function readRules(storage: HostStorage): PermissionRule[] {
  return storage.small.rules().map((it) => PermissionRule.parse(JSON.parse(it)));
}

/** Keeps what "Allow always" or "Allow in this session" said; a rule that is there already is not doubled. */
export function saveRule(
  deps: Pick<EffectDeps, 'storage' | 'store' | 'newId'>,
  proposed: ProposedRule,
  session?: string,
): void {
  const { target, pattern } = proposed;
  const isKnown = readRules(deps.storage).some(
    (it) => it.target === target && it.pattern === pattern && it.session === session,
  );
  if (isKnown) return;
  const rule: PermissionRule = {
    id: deps.newId(),
    effect: 'allow',
    target,
    pattern,
    source: 'granted',
    ...(session !== undefined && { session }),
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
