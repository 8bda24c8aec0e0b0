import assert from 'node:assert/strict';
import { afterEach, describe, it } from 'mocha';
import type { HostOptions } from '../../../../../../sidecar/host/host.ts';
import { ANSWER_LIMIT_MS } from '../../../../../../sidecar/host/turns/budgets/asking.ts';
import { MOST_BETWEEN_TURNS } from '../../../../../../sidecar/host/turns/budgets/sessionBudgets.ts';
import type { CallGate } from '../../../../../../sidecar/launch/gateway/gatewayContract.ts';
import type { CheaperModel, EndModelCall } from '../../../../../../sidecar/launch/gateway/modelCalls.ts';
import type { ChatAction } from '../../../../../../sidecar/protocol/channels/chat/actions.ts';
import type { InputRequestPart } from '../../../../../../sidecar/protocol/channels/chat/schema.ts';
import { type BudgetSettings, budgetOf } from '../../../../../../sidecar/protocol/channels/session/budgets.ts';
import type { HostPeer } from '../../../../../support/host/hostPeer.ts';
import { type HostPlace, openHostPlace } from '../../../../../support/host/hostPlace.ts';
import { ManualTimers } from '../../../../../support/manualTimers.ts';
import { scriptedProvider } from '../../../../../support/scriptedProvider.ts';
import { until } from '../../../../../support/until.ts';
import { verifies } from '../../../../../support/verifies.ts';

describe('the budget of a session', () => {
  let place: HostPlace;
  let timers: ManualTimers;
  let gate: CallGate;
  let peer: HostPeer;
  let session: string;
  let chat: string;
  let nowMs: number;
  /** Of each call: `made`, `made by` a cheaper model, `left`, or the code with which it was refused. */
  let outcomes: string[];
  let asked: number;
  let cheaper: readonly CheaperModel[];
  const open = new Set<AbortController>();

  afterEach(async () => {
    timers.close();
    await place.close();
  });

  const admit = (dollars: number, signal: AbortSignal, others = async () => cheaper) =>
    gate.admit({ session, chat, model: 'big', dollars, signal, cheaper: others });
  /** Makes a call that costs this much and can cost twice as much. */
  async function call(
    dollars: number,
    signal: AbortSignal = new AbortController().signal,
  ): Promise<EndModelCall | undefined> {
    try {
      const { model, end } = await admit(2 * dollars, signal);
      outcomes.push(model === undefined ? 'made' : `made by ${model}`);
      return end;
    } catch (thrown) {
      outcomes.push(signal.aborted ? 'left' : (thrown as { code: string }).code);
      return undefined;
    }
  }

  /** The prompt says which calls the agent makes: `1 2` in sequence, `1+2` at the same time; `wait` lasts until the turn stops. */
  async function begin(budgets?: BudgetSettings): Promise<void> {
    outcomes = [];
    asked = 0;
    cheaper = [];
    nowMs = Date.parse('2026-03-01T12:00:00Z');
    timers = new ManualTimers();
    const provider = scriptedProvider(async function* ({ text }, _host, signal) {
      for (const step of text.split(' ')) {
        if (step === 'wait') {
          await new Promise<void>((resolve) => {
            signal.addEventListener('abort', () => resolve(), { once: true });
          });
          continue;
        }
        const ends = await Promise.all(
          step.split('+').map(async (it) => {
            const left = new AbortController();
            open.add(left);
            signal.addEventListener('abort', () => left.abort());
            return [await call(Number(it), left.signal), Number(it)] as const;
          }),
        );
        for (const [end, dollars] of ends) end?.(dollars);
        yield { kind: 'text', partId: 'p', text: '.' };
      }
    });
    const gateway = {
      sessionTools: async () => undefined,
      sessionModels: async () => undefined,
      onAgents: () => () => undefined,
      onModels: () => () => undefined,
      onCall: () => () => undefined,
      gateCalls: (it: CallGate) => void (gate = it),
      sessionEnded: async () => undefined,
      close: async () => undefined,
    } as unknown as NonNullable<HostOptions['gateway']>;
    const clock = { now: () => new Date(nowMs).toISOString(), nowMs: () => nowMs, monotonicMs: () => nowMs };
    place = await openHostPlace([provider], { gateway, timers, clock });
    peer = await place.connect('c1', budgets ? { budgets } : {});
    ({ session, chat } = await peer.newSession());
  }
  const questions = (at = peer) =>
    (at.chat(chat).activeTurn?.responseParts ?? []).filter((it): it is InputRequestPart => it.kind === 'inputRequest');
  const isOpen = (it: InputRequestPart) => it.response === undefined;
  async function question(at = peer): Promise<string> {
    await at.until(() => questions(at).some(isOpen), 'a person is asked');
    asked += 1;
    return questions(at).find(isOpen)!.request.id;
  }
  const answerOf = (requestId: string, value: string) =>
    ({
      type: 'chat/inputCompleted',
      requestId,
      response: 'accept',
      answers: { budget: { state: 'submitted', value: { kind: 'selected', value } } },
    }) as const;
  const cancelled = (turnId: string): ChatAction => ({ type: 'chat/turnCancelled', turnId, duration: 1 });
  const stop = (turnId: string) => peer.act(chat, cancelled(turnId));
  const setBudget = (limit: { dollars?: number; calls?: number } | null) =>
    peer.request('x-switchboard/setBudget', { channel: session, limit });
  const budget = (at = peer) => budgetOf(at.session(session)._meta);

  it('of three calls holds the fourth with a question, and lets it continue in the same turn once raised', async () => {
    verifies('host.budgets.asks');
    await begin();
    await setBudget({ calls: 3 });
    const turn = await peer.prompt(chat, '1 1 1 1 1');
    const id = await question();
    assert.deepEqual(outcomes, ['made', 'made', 'made']);
    assert.match(JSON.stringify(peer.session(session).inputNeeded), /Scripted has made 3 of 3 calls/);
    await peer.act(chat, answerOf(id, '6'));
    const { state, responseParts } = await peer.ended(chat, turn);
    assert.deepEqual([state, outcomes.length, asked], ['complete', 5, 1]);
    assert.equal(responseParts.filter((it) => it.kind === 'inputRequest').length, 1);
    assert.deepEqual(budget(), { limit: { calls: 6 }, isOwn: true, spent: { calls: 5, dollars: 5 } });
  });

  it('is asked about in every window, also in one that opens later, and the first answer counts', async () => {
    await begin();
    await setBudget({ calls: 1 });
    const turn = await peer.prompt(chat, '1 1');
    await question();
    peer.close();
    const [first, second] = [await place.connect('c2'), await place.connect('c3')];
    for (const it of [first, second]) {
      await it.subscribe(session);
      await it.subscribe(chat);
    }
    const id = await question(second);
    const [one, other] = await Promise.all([
      second.act(chat, answerOf(id, '2')),
      question(first).then((it) => first.act(chat, answerOf(it, 'stop'))),
    ]);
    assert.deepEqual(
      [one.rejectionReason, other.rejectionReason],
      [undefined, 'no open question with this ID was found'],
    );
    assert.equal((await second.ended(chat, turn)).state, 'complete');
    assert.deepEqual([outcomes, budget(first)?.limit], [['made', 'made'], { calls: 2 }]);
  });

  it('that a person does not raise refuses calls that do not fit for the rest of the turn, and asks again in the next one', async () => {
    verifies('host.budgets.refused');
    await begin();
    await setBudget({ dollars: 2 });
    const turn = await peer.prompt(chat, '1 1 1 0.1');
    await peer.act(chat, answerOf(await question(), 'stop'));
    await peer.ended(chat, turn);
    assert.deepEqual(outcomes, ['made', 'budget_stopped', 'budget_stopped', 'made']);
    const next = await peer.prompt(chat, '1');
    await peer.act(chat, answerOf(await question(), '10'));
    await peer.ended(chat, next);
    assert.deepEqual([outcomes.at(-1), asked], ['made', 2]);
  });

  it('lets calls that do not fit go on with the best cheaper model that fits, until the turn ends', async () => {
    verifies('host.budgets.cheaper');
    await begin();
    cheaper = [
      { model: 'tiny', dollars: 0.1 },
      { model: 'small', dollars: 1 },
      { model: 'middle', dollars: 1.6 },
    ];
    await setBudget({ dollars: 4.5 });
    const turn = await peer.prompt(chat, '1 1 1 1 1');
    const id = await question();
    assert.match(JSON.stringify(questions()), /"Continue with small"/);
    await peer.act(chat, answerOf(id, 'cheaper'));
    await peer.ended(chat, turn);
    assert.deepEqual([outcomes, asked], [['made', 'made', 'made', 'made by small', 'made by tiny'], 1]);
    const next = await peer.prompt(chat, '1');
    await peer.act(chat, answerOf(await question(), 'stop'));
    await peer.ended(chat, next);
    assert.deepEqual([outcomes.at(-1), asked], ['budget_stopped', 2]);
  });

  it('asks nobody about a call whose agent gives it up while cheaper models are looked for', async () => {
    await begin();
    await setBudget({ dollars: 1 });
    const turn = await peer.prompt(chat, 'wait');
    const left = new AbortController();
    const leaves = async () => {
      left.abort();
      return [];
    };
    await assert.rejects(admit(2, left.signal, leaves), { name: 'AbortError' });
    assert.deepEqual(questions(), []);
    await stop(turn);
  });

  it('in calls offers no cheaper model, because a call counts whatever it costs', async () => {
    await begin();
    cheaper = [{ model: 'tiny', dollars: 0.1 }];
    await setBudget({ calls: 1 });
    const turn = await peer.prompt(chat, '1 1');
    const id = await question();
    assert.doesNotMatch(JSON.stringify(questions()), /Go on with/);
    await peer.act(chat, answerOf(id, 'stop'));
    await peer.ended(chat, turn);
    assert.deepEqual(outcomes, ['made', 'budget_stopped']);
  });

  it('asks one question for all waiting calls', async () => {
    verifies('host.budgets.together');
    await begin();
    await setBudget({ calls: 2 });
    const turn = await peer.prompt(chat, '1+1+1+1+1');
    const id = await question();
    assert.deepEqual([outcomes.length, questions().length], [2, 1]);
    await peer.act(chat, answerOf(id, '4'));
    await peer.act(chat, answerOf(await question(), 'stop'));
    await peer.ended(chat, turn);
    assert.deepEqual([outcomes, asked], [['made', 'made', 'made', 'made', 'budget_stopped'], 2]);
  });

  it('still counts earlier calls after a restart of the host', async () => {
    verifies('host.budgets.kept');
    await begin();
    await setBudget({ calls: 3 });
    await peer.ended(chat, await peer.prompt(chat, '1 1 1'));
    peer.close();
    await place.restart();
    peer = await place.connect('c2');
    await peer.subscribe(session);
    await peer.subscribe(chat);
    assert.deepEqual(budget(), { limit: { calls: 3 }, isOwn: true, spent: { calls: 3, dollars: 3 } });
    const turn = await peer.prompt(chat, '1');
    await peer.act(chat, answerOf(await question(), '6'));
    await peer.ended(chat, turn);
    assert.deepEqual(outcomes, ['made', 'made', 'made', 'made']);
  });

  it('lets an agent make a limited number of calls between two turns, and more with the next turn', async () => {
    await begin();
    for (let n = 0; n < MOST_BETWEEN_TURNS; n += 1) (await call(0))?.(0);
    await call(0);
    assert.deepEqual([outcomes.lastIndexOf('made'), outcomes.at(-1)], [MOST_BETWEEN_TURNS - 1, 'budget_stopped']);
    await peer.ended(chat, await peer.prompt(chat, '1'));
    await call(0);
    assert.deepEqual(outcomes.slice(-2), ['made', 'made']);
  });

  it('asks nobody if it was not set', async () => {
    verifies('host.budgets.unlimited');
    await begin();
    assert.equal(gate.limitsCost(session), false);
    await peer.ended(chat, await peer.prompt(chat, '100 100'));
    assert.deepEqual([outcomes, budget()], [['made', 'made'], undefined]);
  });

  it('withdraws its question when there is room again, and the call continues', async () => {
    await begin();
    await setBudget({ calls: 1 });
    const turn = await peer.prompt(chat, '1 1');
    await question();
    await setBudget({ calls: 2 });
    const { responseParts } = await peer.ended(chat, turn);
    const [part] = responseParts.filter((it) => it.kind === 'inputRequest');
    assert.deepEqual([outcomes, part?.response], [['made', 'made'], 'cancel']);
  });

  it('asks again after an answer that is not a higher budget', async () => {
    await begin();
    await setBudget({ dollars: 2 });
    const turn = await peer.prompt(chat, '1 1');
    const free = (requestId: string, text: string) => {
      const value = { kind: 'selected', value: '', freeformValues: [text] } as const;
      const answers = { budget: { state: 'submitted', value } as const };
      return { type: 'chat/inputCompleted', requestId, response: 'accept', answers } as const;
    };
    await peer.act(chat, free(await question(), '1'));
    await peer.act(chat, free(await question(), '$3.50'));
    await peer.ended(chat, turn);
    assert.deepEqual([outcomes, budget()?.limit, asked], [['made', 'made'], { dollars: 3.5 }, 2]);
  });

  it('refuses waiting calls when nobody answers within an hour', async () => {
    await begin();
    await setBudget({ calls: 1 });
    const turn = await peer.prompt(chat, '1 1');
    await question();
    timers.pass(ANSWER_LIMIT_MS);
    assert.equal((await peer.ended(chat, turn)).state, 'complete');
    assert.deepEqual(outcomes, ['made', 'budget_stopped']);
  });

  it('keeps its question open while an agent that gave up on a call retries, but no longer', async () => {
    await begin();
    await setBudget({ calls: 1 });
    open.clear();
    await peer.prompt(chat, '1 1 1 wait');
    const id = await question();
    const leave = () => [...open].at(-1)!.abort();
    const before = outcomes.length;
    leave();
    await until('the agent tried again', () => outcomes.length === before + 1 && open.size === 3);
    assert.deepEqual([outcomes, questions().map((it) => it.request.id)], [['made', 'left'], [id]]);
    leave();
    await until('nothing waits', () => timers.has(10_000));
    timers.pass(10_000);
    await peer.until(() => !questions().some(isOpen), 'the question was taken back');
    await stop(peer.chat(chat).activeTurn!.id);
  });

  it('asks nothing more when the turn is stopped', async () => {
    await begin();
    await setBudget({ calls: 1 });
    const turn = await peer.prompt(chat, '1 1');
    await question();
    await stop(turn);
    await until('the call ended', () => outcomes.length === 2);
    assert.deepEqual(outcomes, ['made', 'left']);
    await assert.rejects(admit(1, new AbortController().signal), {
      code: 'budget_stopped',
    });
  });

  it('in the settings applies to sessions without their own, and a person can lift it for one session', async () => {
    await begin({ session: 2 });
    await peer.ended(chat, await peer.prompt(chat, '0.5'));
    assert.deepEqual(budget(), { limit: { dollars: 2 }, isOwn: false, spent: { calls: 1, dollars: 0.5 } });
    const turn = await peer.prompt(chat, '1');
    await question();
    await setBudget({});
    await peer.ended(chat, turn);
    assert.deepEqual([budget()?.limit, gate.limitsCost(session)], [{}, false]);
    await setBudget(null);
    assert.deepEqual([budget()?.limit, budget()?.isOwn], [{ dollars: 2 }, false]);
  });

  const scopes = [
    ['a day', { day: 2 }, "of today's budget of $2.00"],
    ['a folder', { folder: 2 }, 'All sessions in this folder have spent'],
    ['all', { all: 2 }, 'All sessions have spent'],
  ] as const;
  for (const [what, settings, words] of scopes)
    it(`of ${what} counts the calls of all its sessions, and stays raised until the setting changes`, async () => {
      verifies('host.budgets.kept');
      await begin(settings);
      const at = { workingDirectories: [`file://${place.dataDir}`] };
      ({ session, chat } = await peer.newSession(at));
      await peer.ended(chat, await peer.prompt(chat, '1'));
      ({ session, chat } = await peer.newSession(at));
      const turn = await peer.prompt(chat, '0.75 0.1');
      const id = await question();
      assert.ok(JSON.stringify(questions()).includes(words));
      await peer.act(chat, answerOf(id, '4'));
      await peer.ended(chat, turn);
      assert.deepEqual([outcomes, asked], [['made', 'made', 'made'], 1]);
      peer.close();
      await place.restart();
      peer = await place.connect('c3', { budgets: settings });
      ({ session, chat } = await peer.newSession(at));
      await peer.ended(chat, await peer.prompt(chat, '0.5'));
      peer.close();
      const changed = Object.fromEntries(Object.keys(settings).map((it) => [it, 3]));
      peer = await place.connect('c2', { budgets: changed });
      ({ session, chat } = await peer.newSession(at));
      const last = await peer.prompt(chat, '0.5');
      await peer.act(chat, answerOf(await question(), 'stop'));
      await peer.ended(chat, last);
      assert.equal(outcomes.at(-1), 'budget_stopped');
    });

  it('of a day starts again the next day', async () => {
    await begin({ day: 2 });
    await peer.ended(chat, await peer.prompt(chat, '1'));
    nowMs += 24 * 60 * 60_000;
    await peer.ended(chat, await peer.prompt(chat, '1'));
    assert.deepEqual(outcomes, ['made', 'made']);
  });

  it('withdraws the questions of other sessions when it is raised for all in one of them', async () => {
    await begin({ all: 2 });
    await peer.ended(chat, await peer.prompt(chat, '1'));
    const first = { session, chat, turn: await peer.prompt(chat, '1') };
    await question();
    ({ session, chat } = await peer.newSession());
    const turn = await peer.prompt(chat, '1');
    await peer.act(chat, answerOf(await question(), '10'));
    await peer.ended(chat, turn);
    await peer.ended(first.chat, first.turn);
    assert.deepEqual([outcomes, asked], [['made', 'made', 'made'], 2]);
  });
});
