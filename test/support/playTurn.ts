import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, relative } from 'node:path';
import type { DelegatedReport, DelegatedTask } from '../../sidecar/agents/delegation.ts';
import type {
  AgentSession,
  Attachment,
  QuestionAnswers,
  QuestionSet,
  SessionContext,
  ToolDecision,
  ToolFacts,
  TurnEvent,
  TurnRequest,
} from '../../sidecar/agents/provider.ts';
import type { Children } from '../../sidecar/platform/children/children.ts';
import { Fault } from '../../sidecar/platform/faults.ts';

/** What a played turn left behind. */
export interface PlayedTurn {
  readonly events: readonly TurnEvent[];
  readonly asked: readonly ToolFacts[];
  readonly questions: readonly QuestionSet[];
  readonly delegated: readonly DelegatedTask[];
  /** All text parts, and why it stopped at a step, concatenated. */
  readonly text: string;
  readonly failure: unknown;
}

export interface Play {
  readonly text: string;
  readonly turnId?: string;
  readonly attachments?: readonly Attachment[];
  readonly model?: string;
  readonly modelConfig?: NonNullable<TurnRequest['modelConfig']>;
  readonly signal?: AbortSignal;
  readonly decide?: (facts: ToolFacts) => ToolDecision | Promise<ToolDecision>;
  readonly answer?: (questions: QuestionSet) => QuestionAnswers;
  /** What a sub-agent reports. Absent: that it is done. */
  readonly report?: (task: DelegatedTask) => DelegatedReport;
  /** Another agent sends the message. */
  readonly isDelegated?: true;
  /** Called for each event before the next is pulled. */
  readonly onEvent?: (event: TurnEvent) => void | Promise<void>;
}

/** Programs that cannot be started. */
export const noChildren: Pick<Children, 'spawn'> = {
  spawn: () => Promise.reject(new Fault('unavailable', 'no programs can be started here')),
};

let turns = 0;

/** Plays a turn as the host does: pulls one event after the other, and answers what is asked. Never rejects. */
export async function playTurn(session: AgentSession, play: Play): Promise<PlayedTurn> {
  const events: TurnEvent[] = [];
  const asked: ToolFacts[] = [];
  const questions: QuestionSet[] = [];
  const delegated: DelegatedTask[] = [];
  const signal = play.signal ?? new AbortController().signal;
  turns += 1;
  const request = {
    turnId: play.turnId ?? `t${turns}`,
    text: play.text,
    attachments: play.attachments ?? [],
    ...(play.model !== undefined && { model: play.model }),
    ...(play.modelConfig && { modelConfig: play.modelConfig }),
    ...(play.isDelegated && { isDelegated: true as const }),
  };
  const host = {
    confirm: (facts: ToolFacts) => {
      asked.push(facts);
      return untilAborted(signal, async () => play.decide?.(facts) ?? { allow: true as const });
    },
    readLimits: async () => ({ denied: new Set<string>(), asking: new Set<string>() }),
    ask: (set: QuestionSet) => {
      questions.push(set);
      return untilAborted(signal, async () => play.answer?.(set) ?? { response: 'cancel' as const, values: {} });
    },
    token: async (resource: string) => {
      throw new Fault('unavailable', `no token for ${resource}`);
    },
    delegate: (task: DelegatedTask) => {
      delegated.push(task);
      return untilAborted(signal, async () => play.report?.(task) ?? { outcome: 'complete' as const, text: 'Done.' });
    },
    tools: {
      list: () => [],
      call: async (name: string) => {
        throw new Fault('not_found', `there is no tool ${name}`);
      },
    },
  };
  let failure: unknown;
  try {
    for await (const event of session.run(request, host, signal)) {
      events.push(event);
      await play.onEvent?.(event);
    }
  } catch (thrown) {
    failure = thrown;
  }
  const texts = events.map((it) => (it.kind === 'text' ? it.text : it.kind === 'stepStopped' ? it.markdown : ''));
  const text = texts.join('');
  return { events, asked, questions, delegated, text, failure };
}

/** A session in `folder`, whose files are read and written straight away. */
export function contextIn(folder: string | undefined, more: Partial<SessionContext> = {}): SessionContext {
  const inside = (path: string) => {
    if (folder === undefined || relative(folder, path).startsWith('..'))
      throw new Fault('forbidden', 'outside the session');
    return path;
  };
  return {
    sessionId: 'session-under-test',
    folders: folder === undefined ? [] : [folder],
    env: { PATH: process.env['PATH'] ?? '', HOME: folder ?? '/nonexistent' },
    config: {},
    token: () => undefined,
    files: {
      readText: async (path) =>
        readFile(inside(path), 'utf8').catch((cause: unknown) => {
          throw new Fault('not_found', 'no such file', { cause });
        }),
      writeText: async (path, content) => {
        await mkdir(dirname(inside(path)), { recursive: true });
        await writeFile(path, content);
      },
    },
    terminals: {
      run: async () => {
        throw new Fault('forbidden', 'no terminals here');
      },
    },
    ...more,
  };
}

function untilAborted<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = () => reject(new Error('the turn was aborted'));
    if (signal.aborted) {
      stop();
      return;
    }
    signal.addEventListener('abort', stop, { once: true });
    work().then(resolve, reject);
  });
}
