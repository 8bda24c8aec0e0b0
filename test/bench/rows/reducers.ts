import type { ChatAction } from '../../../sidecar/protocol/channels/chat/actions.ts';
import { reduceChat } from '../../../sidecar/protocol/channels/chat/reducer.ts';
import type { ChatState, Turn } from '../../../sidecar/protocol/channels/chat/schema.ts';
import { alternate, type Row, ratioRow } from '../measure.ts';

const LONG = 2_000;
const SHORT = 20;
/** About a minute of an agent, a short answer, and a sentence. */
const TALK = { calls: 20, deltas: 50, rounds: 500 };
const ANSWER = { calls: 2, deltas: 50, rounds: 5_000 };
const SENTENCE = { calls: 1, deltas: 10, rounds: 20_000 };
const at = '2026-01-01T00:00:00.000Z';
const message = { text: 'hello', origin: { kind: 'user' } };
const start: ChatAction = { type: 'chat/turnStarted', turnId: 'x', startedAt: at, message };
const end: ChatAction = { type: 'chat/turnComplete', turnId: 'x', duration: 1 };

/**
 * What a mirror pays for one more turn of an agent, by how many turns it has. All that grows with them is the copy of an
 * array at the turn's end (a state that somebody holds never changes): the less there is in a turn, the more of it that is, and
 * of a turn in which nothing happens it is half. In time of the processor, because nothing waits here.
 */
export async function reducers(): Promise<readonly Row[]> {
  const [long, short] = [chatOf(LONG), chatOf(SHORT)];
  const row = async (what: string, actions: readonly ChatAction[], rounds: number, limit?: number) => {
    const figures = await alternate(
      async () => play(long, actions, rounds),
      async () => play(short, actions, rounds),
    );
    return ratioRow(`reducing ${what} at ${LONG} turns against ${SHORT}, ${rounds} times`, figures, limit);
  };
  const agent = ({ calls, deltas, rounds }: typeof TALK, limit?: number) =>
    row(`a turn of ${calls * deltas} deltas, calls: ${calls}`, agentTurn(calls, deltas), rounds, limit);
  return [
    await agent(TALK, 1.2),
    await agent(ANSWER, 1.2),
    await agent(SENTENCE),
    await row('a turn that begins and ends', [start, end], SENTENCE.rounds),
  ];
}

function chatOf(count: number): ChatState {
  const turns = Array.from(
    { length: count },
    (_, n): Turn => ({
      id: `t${n}`,
      startedAt: at,
      duration: 1,
      message,
      responseParts: [{ kind: 'markdown', id: `t${n}-1`, content: 'An answer.' }],
      state: 'complete',
    }),
  );
  return { resource: 'host-chat:/a', title: 'a', status: 1, modifiedAt: at, turns };
}

/** Each round begins with the same state, so that a chat does not grow while it is measured. @returns milliseconds of the processor */
function play(chat: ChatState, actions: readonly ChatAction[], rounds: number): number {
  const before = process.cpuUsage();
  for (let round = 0; round < rounds; round += 1) {
    let state = chat;
    for (const action of actions) state = reduceChat(state, action, { now: at });
    if (state.turns.length !== chat.turns.length + 1) throw new Error('the turn did not end');
  }
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}

/** What an agent does for a prompt: it thinks, talks and calls a tool, and so on; in the end it says what that cost. */
function agentTurn(calls: number, deltas: number): ChatAction[] {
  const turn = { turnId: 'x' };
  const part = (kind: 'markdown' | 'reasoning', id: string) => ({ partId: id, kind, id, content: '' }) as const;
  const steps = Array.from({ length: calls }, (_, n): ChatAction[] => {
    const call = { ...turn, toolCallId: `c${n}` };
    const result = { success: true, pastTenseMessage: 'Ran it', content: [{ type: 'text', text: 'done' }] } as const;
    return [
      { type: 'chat/responsePart', ...turn, part: part('reasoning', `r${n}`) },
      { type: 'chat/reasoning', ...turn, partId: `r${n}`, content: 'hm ' },
      { type: 'chat/responsePart', ...turn, part: part('markdown', `p${n}`) },
      ...Array.from(
        { length: deltas },
        (): ChatAction => ({
          type: 'chat/delta',
          ...turn,
          partId: `p${n}`,
          content: 'word ',
        }),
      ),
      { type: 'chat/toolCallStart', ...call, toolName: 'shell', displayName: 'Run' },
      { type: 'chat/toolCallDelta', ...call, content: 'npm test' },
      { type: 'chat/toolCallReady', ...call, invocationMessage: 'Run it', toolInput: 'npm test' },
      { type: 'chat/toolCallConfirmed', ...call, approved: true, confirmed: 'user-action' },
      { type: 'chat/toolCallComplete', ...call, result: { ...result, content: [...result.content] } },
    ];
  });
  return [start, ...steps.flat(), { type: 'chat/usage', ...turn, usage: { inputTokens: 10, outputTokens: 5 } }, end];
}
