import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { type GuardedCall, type Rule, violation } from '../../../../../sidecar/gateway/guardrails/call.ts';
import { openRun } from '../../../../../sidecar/gateway/guardrails/run.ts';
import { guardedCall, guardrail } from '../../../../support/guardrails/calls.ts';
import { later } from '../../../../support/later.ts';

type Named = Readonly<Record<string, Rule>>;
const both = ['pre_mcp_call', 'during_mcp_call'];

/** Rules under names that are registered in this order; those that end in `?` are not on. */
function running(rules: Named, mode: string | readonly string[] = both) {
  const registered = Object.keys(rules).map((name) =>
    guardrail(name, { guardrail: 'secret_redaction', mode, action: 'block', default_on: !name.endsWith('?') }),
  );
  return openRun(
    () => registered,
    ({ guardrail_name }) => rules[guardrail_name] ?? {},
  );
}
const signal = new AbortController().signal;
const no = (name: string) => violation(name, `no: ${name}`);

describe('a run of guardrails', () => {
  it('before a call adds up headers, the later ones counting, and goes on where a guardrail does nothing', async () => {
    const run = running({
      a: { pre: () => ({ headers: { x: 'a', only: 'a' } }) },
      nothing: {},
      b: { pre: () => ({ headers: { x: 'b' } }) },
    });
    assert.deepEqual(await run.preMcpCall(guardedCall()), { headers: { x: 'b', only: 'a' } });
  });

  it('before a call asks each about what the one before left, and nobody after a refusal', async () => {
    const asked: [string, unknown][] = [];
    const rule = (name: string, more: object): Rule => ({
      pre: (call: GuardedCall) => {
        asked.push([name, call.arguments]);
        return more;
      },
    });
    const run = running({
      a: rule('a', { arguments: { n: 1 }, headers: { x: 'a' } }),
      b: rule('b', { refusal: no('b') }),
      c: rule('c', {}),
    });
    assert.deepEqual(await run.preMcpCall(guardedCall({ n: 0 })), { refusal: no('b') });
    assert.deepEqual(asked, [
      ['a', { n: 0 }],
      ['b', { n: 1 }],
    ]);
  });

  it('before a list adds up headers, and ends with the first refusal', async () => {
    const asked: string[] = [];
    const list = (name: string, more: object): Rule => ({
      list: async () => {
        asked.push(name);
        return more;
      },
    });
    const passing = {
      a: list('a', { headers: { x: 'a', only: 'a' } }),
      nothing: {},
      b: list('b', { headers: { x: 'b' } }),
    };
    assert.deepEqual(await running(passing).preMcpList(guardedCall()), { headers: { x: 'b', only: 'a' } });
    const refusing = { ...passing, c: list('c', { refusal: no('c') }), d: list('d', {}) };
    assert.deepEqual(await running(refusing).preMcpList(guardedCall()), { refusal: no('c') });
    assert.deepEqual(asked, ['a', 'b', 'a', 'b', 'c']);
  });

  it('before sending asks those of its mode that are on, one after the other, until one refuses', async () => {
    const asked: string[] = [];
    const rule = (name: string, refuses = false): Rule => ({
      beforeSending: async () => {
        asked.push(name);
        return refuses ? no(name) : undefined;
      },
    });
    const rules = { a: rule('a'), nothing: {}, 'off?': rule('off', true), b: rule('b', true), c: rule('c', true) };
    assert.deepEqual(await running(rules).beforeSending(guardedCall()), no('b'));
    assert.deepEqual(asked, ['a', 'b']);
    assert.equal(await running(rules, ['during_mcp_call']).beforeSending(guardedCall()), undefined);
    assert.deepEqual(
      (await running({ a: rule('a') }).beforeSending(guardedCall({}, { names: ['gone'] })))?.guardrail_name,
      'gone',
    );
  });

  it('beside a call asks all at once, and answers the first registered of those that refuse', async () => {
    const slow = later<ReturnType<typeof no>>();
    const seen: unknown[] = [];
    const run = running({
      a: { during: () => undefined },
      slow: {
        during: (_call, stop) => {
          seen.push(stop);
          return slow.promise;
        },
      },
      fast: {
        during: () => {
          slow.resolve(no('slow'));
          return no('fast');
        },
      },
    });
    assert.deepEqual(await run.duringMcpCall(guardedCall(), signal), no('slow'));
    assert.deepEqual(seen, [signal]);
  });

  it('beside a call refuses arguments that can be read in two ways, and asks nobody about them', async () => {
    let asked = 0;
    const rules: Named = { a: { during: () => void (asked += 1) } };
    const twins = guardedCall({ path: 1, Path: 2 });
    assert.equal((await running(rules).duringMcpCall(twins, signal))?.guardrail_name, 'a');
    assert.equal(await running(rules, ['pre_mcp_call']).duringMcpCall(twins, signal), undefined);
    assert.equal(asked, 0);
  });

  it('is over with a throw', async () => {
    const thrown = new Error('broken');
    const fails = () => Promise.reject(thrown);
    const run = running({ a: { pre: fails, beforeSending: fails, during: fails, list: fails } });
    for (const work of [
      run.preMcpCall(guardedCall()),
      run.beforeSending(guardedCall()),
      run.duringMcpCall(guardedCall(), signal),
      run.preMcpList(guardedCall()),
    ])
      await assert.rejects(async () => work, thrown);
  });
});
