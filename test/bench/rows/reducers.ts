import type { ChatAction, ChatActionOf } from '../../../sidecar/protocol/channels/chat/actions.ts';
import { reduceChat } from '../../../sidecar/protocol/channels/chat/reducer.ts';
import type { ChatState, Turn } from '../../../sidecar/protocol/channels/chat/schema.ts';
import { alternate, type Row, ratioRow } from '../measure.ts';

const LONG = 2_000;
const SHORT = 20;
/** About a minute of an agent. */
const DELTAS = 1_000;
const CALLS = 20;
const ROUNDS = 500;
const at = '2026-01-01T00:00:00.000Z';
const message = { text: 'hello', origin: { kind: 'user' } };
const start: ChatAction = { type: 'chat/turnStarted', turnId: 'x', startedAt: at, message };
const delta: ChatActionOf<'chat/delta'> = { type: 'chat/delta', turnId: 'x', partId: 'p0', content: 'word ' };
const end: ChatAction = { type: 'chat/turnComplete', turnId: 'x', duration: 1 };

/** What a mirror pays for one more turn of an agent, by how many turns it has; and for a turn in which nothing happens. */
export async function reducers(): Promise<readonly Row[]> {
  const [long, short] = [chatOf(LONG), chatOf(SHORT)];
  const compare = (actions: readonly ChatAction[]) =>
    alternate(
      async () => play(long, actions),
      async () => play(short, actions),
    );
  const whole = await compare(agentTurn());
  const empty = await compare([start, end]);
  const name = `at ${LONG} turns against ${SHORT}, ${ROUNDS} times`;
  return [
    ratioRow(`reducing a turn of ${DELTAS} deltas and ${CALLS} calls ${name}`, whole, 1.2),
    ratioRow(`reducing a turn that begins and ends ${name}`, empty),
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

/** Each round begins with the same state, so that a chat does not grow while it is measured. */
function play(chat: ChatState, actions: readonly ChatAction[]): number {
  const started = performance.now();
  for (let round = 0; round < ROUNDS; round += 1) {
    let state = chat;
    for (const action of actions) state = reduceChat(state, action, { now: at });
    if (state.turns.length !== chat.turns.length + 1) throw new Error('the turn did not end');
  }
  return performance.now() - started;
}

/** What an agent does for a prompt: it talks, calls a tool, and so on. */
function agentTurn(): ChatAction[] {
  const turn = { turnId: 'x' };
  const steps = Array.from({ length: CALLS }, (_, n): ChatAction[] => {
    const part = { partId: `p${n}`, kind: 'markdown', id: `p${n}`, content: '' } as const;
    const call = { ...turn, toolCallId: `c${n}` };
    const result = { success: true, pastTenseMessage: 'Ran it', content: [{ type: 'text', text: 'done' }] } as const;
    return [
      { type: 'chat/responsePart', ...turn, part },
      ...Array.from({ length: DELTAS / CALLS }, () => ({ ...delta, partId: `p${n}` })),
      { type: 'chat/toolCallStart', ...call, toolName: 'shell', displayName: 'Run' },
      {
        type: 'chat/toolCallReady',
        ...call,
        invocationMessage: 'Run it',
        toolInput: 'npm test',
        confirmed: 'not-needed',
      },
      { type: 'chat/toolCallComplete', ...call, result: { ...result, content: [...result.content] } },
    ];
  });
  return [start, ...steps.flat(), end];
}
