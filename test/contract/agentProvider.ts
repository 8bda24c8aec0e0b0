import assert from 'node:assert/strict';
import { readFile, rm } from 'node:fs/promises';
import { setImmediate as nextTick } from 'node:timers/promises';
import { after, before, describe, it } from 'mocha';
import type { AgentProvider, AgentSession, SessionContext, TurnEvent } from '../../sidecar/agents/provider.ts';
import type { Children } from '../../sidecar/platform/children/children.ts';
import { contextIn, type Play, type PlayedTurn, playTurn } from '../support/playTurn.ts';
import { settlesInTime } from '../support/settlesInTime.ts';

export interface ProviderUnderTest {
  readonly provider: AgentProvider;
  readonly children: Children;
  readonly folder: string;
  /** What the agent needs of its session besides the folder. */
  readonly context?: Partial<SessionContext>;
  readonly dispose: () => Promise<void>;
  /** A prompt that is answered with text only, and that text. */
  readonly plain: { readonly prompt: string; readonly answer: string };
  /**
   * A prompt with one tool call that requires permission: a command that prints `printed`, or a file that becomes `content`.
   * Absent for an agent that works elsewhere and requests no permissions.
   */
  readonly tool?: { readonly prompt: string } & (
    | { readonly kind: 'shell'; readonly command: string; readonly printed: string }
    | { readonly kind: 'edit'; readonly path: string; readonly content: string }
  );
  /** A prompt whose command or remote task runs for a minute. Absent for an agent that has neither. */
  readonly long?: { readonly prompt: string };
}

/**
 * The requirements that every provider must meet. Call it once for each provider, in `agentProvider.test.ts`.
 *
 * @param works `elsewhere`: the agent does nothing on this machine, so it requests no permission for tool calls
 */
export function agentProviderContract(
  name: string,
  make: () => Promise<ProviderUnderTest>,
  works: 'here' | 'elsewhere' = 'here',
): void {
  describe(`agent provider: ${name}`, () => {
    let it_: ProviderUnderTest;
    let session: AgentSession;
    const play = (more: Play) => playTurn(session, more);
    before(async () => {
      it_ = await make();
      session = await it_.provider.open(contextIn(it_.folder, it_.context), new AbortController().signal);
    });
    after(async () => {
      await session.close();
      await it_.dispose();
    });

    it('has an id of lowercase letters, digits, and hyphens', () =>
      assert.match(it_.provider.id, /^[a-z0-9][a-z0-9-]*$/));
    it('provides its options as soon as it is open', () => {
      for (const { value, values } of session.options.properties) assert.ok(values.some(({ id }) => id === value));
    });
    it('answers with text that arrives in pieces', async () => {
      const turn = await play({ text: it_.plain.prompt });
      assert.equal(turn.failure, undefined);
      assert.equal(turn.text, it_.plain.answer);
      assert.deepEqual(problemsIn(turn.events), []);
    });
    if (works === 'here') toolContract(() => it_, play);
    it('does nothing if the signal is already aborted', async () => {
      const turn = await play({ text: (it_.tool ?? it_.plain).prompt, signal: AbortSignal.abort() });
      assert.deepEqual([turn.asked, turn.text], [[], '']);
    });
    it('settles within 5 s of an abort while a command runs, if it runs commands, and leaves no command running', async () => {
      const abort = new AbortController();
      if (it_.long === undefined) assert.notEqual(it_.tool?.kind, 'shell', 'an agent with commands shows a long one');
      else {
        const begins = it_.tool ? ['toolContent', 'toolRunning'] : ['text'];
        const turn = play({
          text: it_.long.prompt,
          signal: abort.signal,
          onEvent: (event) => {
            if (begins.includes(event.kind)) abort.abort();
          },
        });
        await settlesInTime(abort.signal, turn);
      }
      assert.equal(abort.signal.aborted, it_.long !== undefined, 'no command began');
      assert.deepEqual(
        it_.children.list().filter(({ role }) => role === 'tool'),
        [],
      );
    });
    it('leaves no process when it is closed', async () => {
      await session.close();
      assert.deepEqual(it_.children.list(), []);
    });
  });
}

/** The requirements for an agent that works on this machine. */
function toolContract(under: () => ProviderUnderTest, play: (more: Play) => Promise<PlayedTurn>): void {
  const tool = (): Tool => {
    const { tool: found } = under();
    assert.ok(found, 'an agent that works here shows a tool call');
    return found;
  };
  const expected = () => {
    const it = tool();
    return it.kind === 'shell' ? ['shell', it.command] : ['edit', [it.path]];
  };
  it('asks with the exact command or path before it does anything, and ends the tool call once', async () => {
    await undo(tool());
    const turn = await play({ text: tool().prompt });
    assert.equal(turn.failure, undefined);
    assert.deepEqual(
      turn.asked.map(({ kind, command, paths }) => (kind === 'shell' ? [kind, command] : [kind, paths])),
      [expected()],
    );
    assert.deepEqual(problemsIn(turn.events), []);
    const end = endOf(turn);
    assert.equal(end.success, true);
    assert.equal(await isDone(tool(), turn), true);
  });
  it('asks only after the host has processed the start of the tool call', async () => {
    const processed = new Set<string>();
    const turn = await play({
      text: tool().prompt,
      onEvent: async (event) => {
        await new Promise((resolve) => void setImmediate(resolve));
        if (event.kind === 'toolStarted') processed.add(event.toolCallId);
      },
      decide: (facts) => {
        assert.ok(processed.has(facts.toolCallId), 'asked before its start was processed');
        return { allow: true };
      },
    });
    assert.equal(turn.failure, undefined);
  });
  it('does not report a running tool while it asks', async () => {
    const order: string[] = [];
    await play({
      text: tool().prompt,
      onEvent: (event) => void (event.kind === 'toolRunning' && order.push('running')),
      decide: async () => {
        order.push('asked');
        for (let ticks = 0; ticks < 5; ticks++) await nextTick();
        order.push('decided');
        return { allow: true };
      },
    });
    assert.deepEqual(
      order.filter((it) => it !== 'running'),
      ['asked', 'decided'],
    );
    assert.notEqual(order[1], 'running');
  });
  it('does not do what was denied, and continues with the next turn', async () => {
    await undo(tool());
    const turn = await play({ text: tool().prompt, decide: () => ({ allow: false }) });
    assert.equal(turn.failure, undefined);
    assert.deepEqual(problemsIn(turn.events), []);
    assert.equal(endOf(turn).success, false);
    assert.equal(await isDone(tool(), turn), false);
    assert.equal((await play({ text: under().plain.prompt })).text, under().plain.answer);
  });
  it('gets the reason for a denial', async () => {
    const turn = await play({
      text: tool().prompt,
      decide: () => ({ allow: false, reason: 'use the other-branch instead' }),
    });
    assert.match(turn.text, /use the other-branch instead/);
  });
  it('settles within 5 s of an abort while it asks, and continues with the next turn', async () => {
    const abort = new AbortController();
    const turn = play({
      text: tool().prompt,
      signal: abort.signal,
      decide: () => {
        abort.abort();
        return { allow: true };
      },
    });
    await settlesInTime(abort.signal, turn);
    assert.equal(abort.signal.aborted, true, 'it never asked');
    assert.equal((await play({ text: under().plain.prompt })).text, under().plain.answer);
  });
}

type Tool = NonNullable<ProviderUnderTest['tool']>;
const undo = async (tool: Tool) => tool.kind === 'edit' && rm(tool.path, { force: true });
async function isDone(tool: Tool, turn: PlayedTurn): Promise<boolean> {
  if (tool.kind === 'shell') return JSON.stringify(endOf(turn).content).includes(tool.printed);
  return (await readFile(tool.path, 'utf8').catch(() => undefined)) === tool.content;
}

function endOf(turn: PlayedTurn): Extract<TurnEvent, { kind: 'toolEnded' }> {
  const end = turn.events.find((event) => event.kind === 'toolEnded');
  assert.ok(end, 'no tool call ended');
  return end;
}

/** Tool calls with events before they started or after they ended, and those that never ended. */
function problemsIn(events: readonly TurnEvent[]): string[] {
  const open = new Set<string>();
  const problems: string[] = [];
  for (const event of events) {
    if (event.kind === 'toolStarted') open.add(event.toolCallId);
    const id =
      event.kind === 'toolRunning' ? event.facts.toolCallId : 'toolCallId' in event ? event.toolCallId : undefined;
    if (id !== undefined && !open.has(id)) problems.push(`${event.kind} of ${id}, which is not open`);
    if (event.kind === 'toolEnded') open.delete(event.toolCallId);
  }
  return [...problems, ...[...open].map((id) => `${id} never ended`)];
}
