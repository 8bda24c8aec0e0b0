import type { Guardrail } from '../../protocol/gateway/guardrail.ts';
import { withSpellings } from '../wire/numbers.ts';
import type { GuardedCall, GuardedTarget, GuardRefusal, PostVerdict, PreVerdict, Rule } from './call.ts';
import { readable } from './readable.ts';
import { isUnguarded, runsIn, select } from './select.ts';

/** What the way of a call asks of guardrails. */
export interface Run {
  /**
   * Before a call, one after the other in the order of registration: each sees what the one before it made of the
   * arguments. The first refusal ends it. A throw is a refusal too: the call must not go on.
   */
  preMcpCall(call: GuardedCall): PreVerdict | Promise<PreVerdict>;
  /** Before a call that was admitted is sent, one after the other. A throw is a refusal: the call must not go on. */
  beforeSending(call: GuardedCall): Promise<GuardRefusal | undefined> | undefined;
  /** Beside a call, all at once; nothing where nobody looks. Of several refusals that of the first registered is answered. */
  duringMcpCall(call: GuardedCall, signal: AbortSignal): Promise<GuardRefusal | undefined> | undefined;
  /**
   * What looks at the result of a call, one after the other: each sees what the one before it made of the result. Nothing
   * where nobody looks.
   */
  postMcpCall(call: GuardedCall): ((result: Result) => Promise<PostVerdict>) | undefined;
  /** Before a server is asked for its tools: a list gets an assertion of its own. */
  preMcpList(target: GuardedTarget): PreVerdict | Promise<PreVerdict>;
  /** Whether any guardrail looks at calls of this caller to this server. */
  guards(target: GuardedTarget): boolean;
}

type Result = Readonly<Record<string, unknown>>;

export function openRun(guardrails: () => readonly Guardrail[], ruleOf: (guardrail: Guardrail) => Rule): Run {
  const guarded = openGuarded(guardrails, ruleOf);
  return {
    preMcpCall: (call) => (isUnguarded(guardrails(), call) ? noVerdict : guarded.preMcpCall(call)),
    beforeSending: (call) => (isUnguarded(guardrails(), call) ? undefined : guarded.beforeSending(call)),
    duringMcpCall: (call, signal) =>
      isUnguarded(guardrails(), call) ? undefined : guarded.duringMcpCall(call, signal),
    postMcpCall: (call) => (isUnguarded(guardrails(), call) ? undefined : guarded.postMcpCall(call)),
    guards: (target) => !isUnguarded(guardrails(), target),
    preMcpList: (target) => (isUnguarded(guardrails(), target) ? noVerdict : guarded.preMcpList(target)),
  };
}

const noVerdict: PreVerdict = {};

function openGuarded(
  guardrails: () => readonly Guardrail[],
  ruleOf: (guardrail: Guardrail) => Rule,
): Omit<Run, 'guards'> {
  return {
    async preMcpCall(call) {
      const selected = select(guardrails(), call);
      if ('refusal' in selected) return selected;
      const read = readable(call, selected.guardrails);
      if ('refusal' in read) return read;
      let current = read.call;
      let headers: Readonly<Record<string, string>> = {};
      const before: Rule[] = [];
      for (const guardrail of selected.guardrails.filter((it) => runsIn(it, 'pre_mcp_call'))) {
        const rule = ruleOf(guardrail);
        const verdict = (await rule.pre?.(current)) ?? {};
        if (verdict.refusal) return { refusal: verdict.refusal };
        if (verdict.arguments) current = { ...current, arguments: verdict.arguments };
        const refusal = verdict.arguments && rule.replacesArguments && (await recheck(before, current));
        if (refusal) return { refusal };
        headers = { ...headers, ...verdict.headers };
        before.push(rule);
      }
      const { arguments: changed } = current;
      if (changed === read.call.arguments) return unlessEmpty(headers);
      const spelled = withSpellings(changed, call.arguments) as GuardedCall['arguments'];
      return { arguments: spelled, ...unlessEmpty(headers) };
    },

    async beforeSending(call) {
      const selected = select(guardrails(), call);
      if ('refusal' in selected) return selected.refusal;
      for (const guardrail of selected.guardrails.filter((it) => runsIn(it, 'pre_mcp_call'))) {
        const refusal = await ruleOf(guardrail).beforeSending?.(call);
        if (refusal) return refusal;
      }
      return undefined;
    },

    async duringMcpCall(call, signal) {
      const selected = select(guardrails(), call);
      if ('refusal' in selected) return selected.refusal;
      const beside = selected.guardrails.filter((it) => runsIn(it, 'during_mcp_call'));
      const read = readable(call, beside);
      if ('refusal' in read) return read.refusal;
      const refusals = await Promise.all(beside.map(async (it) => ruleOf(it).during?.(read.call, signal)));
      return refusals.find((it) => it !== undefined);
    },

    postMcpCall(call) {
      const selected = select(guardrails(), call);
      if ('refusal' in selected) return () => Promise.resolve(selected);
      const after = selected.guardrails.filter((it) => runsIn(it, 'post_mcp_call'));
      if (after.length === 0) return undefined;
      return async (given) => {
        let result = given;
        for (const guardrail of after) {
          const verdict = (await ruleOf(guardrail).post?.(call, result)) ?? {};
          if (verdict.refusal) return verdict;
          result = verdict.result ?? result;
        }
        return result === given ? {} : { result };
      };
    },

    async preMcpList(target) {
      const selected = select(guardrails(), target);
      if ('refusal' in selected) return selected;
      let headers: Readonly<Record<string, string>> = {};
      for (const guardrail of selected.guardrails) {
        const verdict = (await ruleOf(guardrail).list?.(target)) ?? {};
        if (verdict.refusal) return { refusal: verdict.refusal };
        headers = { ...headers, ...verdict.headers };
      }
      return unlessEmpty(headers);
    },
  };
}

/** Asks those that saw the arguments before about the ones that take their place. */
async function recheck(rules: readonly Rule[], call: GuardedCall): Promise<GuardRefusal | undefined> {
  for (const rule of rules) {
    const refusal = await rule.recheck?.(call);
    if (refusal) return refusal;
  }
  return undefined;
}

const unlessEmpty = (headers: Readonly<Record<string, string>>): PreVerdict =>
  Object.keys(headers).length > 0 ? { headers } : {};
