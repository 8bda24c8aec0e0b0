import { Fault } from '../../platform/faults.ts';
import { shownText } from '../../platform/shownText.ts';
import type { Timers } from '../../platform/timers.ts';
import type { SessionFiles, TurnEvent, TurnHost, TurnRequest } from '../provider.ts';
import { type A2aClient, type RemoteAgent, StreamBroken } from './client.ts';
import type { Conversation } from './conversation.ts';
import { toParts } from './prompt.ts';
import { Told, textOf } from './told.ts';
import type { AgentEvent, Part, Status, TaskState } from './wire.ts';

/** How long the agent may take to answer that its task is canceled. */
const CANCEL_MS = 3_000;
/** How often a task that does not stream is asked for: soon at first, then less often. */
const POLL_MS = [250, 500, 1_000, 2_000, 5_000] as const;
/** How often an agent may return the state before the message. Then it asks the same again. */
const MOST_OLD = 6;

const ended: ReadonlySet<TaskState> = new Set(['completed', 'canceled', 'failed', 'rejected']);
/** The task waits for the person. */
const paused: ReadonlySet<TaskState> = new Set(['input-required', 'auth-required']);

export interface A2aTurnDeps {
  readonly agent: RemoteAgent;
  readonly client: A2aClient;
  readonly conversation: Conversation;
  readonly files: SessionFiles;
  readonly timers: Pick<Timers, 'wait'>;
  readonly request: TurnRequest;
  readonly host: TurnHost;
  /** The turn is stopped, and its task with it. */
  readonly signal: AbortSignal;
  /** The host stops. The task continues, and is asked for when the session does. */
  readonly leaves: AbortSignal;
}

/** One turn: a message, the task that it starts or continues, and what the agent asks until the task ends. */
export class A2aTurn {
  readonly #deps: A2aTurnDeps;
  readonly #told: Told;
  readonly #signal: AbortSignal;
  #messages = 0;

  constructor(deps: A2aTurnDeps) {
    this.#deps = deps;
    this.#told = new Told(deps.request.turnId);
    this.#signal = AbortSignal.any([deps.signal, deps.leaves]);
  }

  async *events(): AsyncGenerator<TurnEvent, void> {
    const { signal, request, files } = this.#deps;
    try {
      yield* this.#catchUp();
      let parts: readonly Part[] | undefined = await toParts(request, files);
      while (parts) {
        const status: Status | undefined = yield* this.#exchange(parts);
        parts = yield* this.#endOf(status);
      }
    } catch (thrown) {
      if (!this.#signal.aborted) throw thrown;
    } finally {
      if (signal.aborted) await this.#cancel();
    }
  }

  /** A task that ran when an earlier host was stopped: what it did since then comes first. */
  async *#catchUp(): AsyncGenerator<TurnEvent, void> {
    const { client, conversation, agent } = this.#deps;
    const { runningTask } = conversation;
    if (runningTask === undefined) return;
    const task = await client.task(runningTask, this.#signal).catch((thrown: unknown) => {
      if (this.#signal.aborted) throw thrown;
      return undefined; // the agent does not have it any more
    });
    if (task) conversation.note(task);
    else conversation.forgetTask();
    if (!task || !ended.has(task.status.state)) return;
    yield { kind: 'notice', markdown: `${agent.name} finished the task that was interrupted.` };
    yield* this.#tell(task);
  }

  /** @returns how the task ended or why it waits; `undefined` if the agent answered without a task */
  async *#exchange(parts: readonly Part[]): AsyncGenerator<TurnEvent, Status | undefined> {
    const { client, conversation, request } = this.#deps;
    this.#messages += 1;
    const messageId = `${request.turnId}-${this.#messages}`;
    const { contextId, openTask: taskId, pausedBy } = conversation;
    /** An agent that does not wait may first return the state that the message is to end. */
    const isOld = ({ state, mark }: Status) => paused.has(state) && mark !== undefined && mark === pausedBy;
    let status: Status | undefined;
    try {
      for await (const event of client.send({ messageId, parts, contextId, taskId }, this.#signal)) {
        conversation.note(event);
        if ('status' in event) status = event.status;
        yield* this.#tell(event);
        if (status && isAtRest(status) && !isOld(status)) return status;
      }
    } catch (thrown) {
      // The task continues without the connection, and can be asked for.
      if (!(thrown instanceof StreamBroken) || conversation.openTask === undefined || this.#signal.aborted)
        throw thrown;
    }
    return status && (!isAtRest(status) || isOld(status)) ? yield* this.#poll(status, isOld) : status;
  }

  /** The agent does not stream, or the stream ended before the task did. */
  async *#poll(first: Status, isOld: (status: Status) => boolean): AsyncGenerator<TurnEvent, Status> {
    const { client, conversation, timers } = this.#deps;
    let status: Status = first;
    for (let count = 0; !isAtRest(status) || (isOld(status) && count < MOST_OLD); count += 1) {
      const { openTask } = conversation;
      if (openTask === undefined) break;
      await timers.wait(POLL_MS[count] ?? POLL_MS.at(-1)!, this.#signal);
      const task = await client.task(openTask, this.#signal);
      conversation.note(task);
      status = task.status;
      yield* this.#tell(task);
    }
    return status;
  }

  *#tell(event: AgentEvent): Generator<TurnEvent, void> {
    switch (event.kind) {
      case 'message':
        yield* this.#told.message(event.message, 'text');
        return;
      case 'artifact':
        yield* this.#told.artifact(event.artifact, event.append);
        if (event.isLast) yield* this.#told.completed(event.artifact);
        return;
      case 'task':
        for (const it of event.artifacts) {
          yield* this.#told.artifact(it, false);
          if (isAtRest(event.status)) yield* this.#told.completed(it);
        }
        yield* this.#tellStatus(event.status);
        return;
      case 'status':
        yield* this.#tellStatus(event.status);
    }
  }

  /** What an agent says with a question or a failure is shown with that. */
  *#tellStatus({ state, message }: Status): Generator<TurnEvent, void> {
    if (!message) return;
    if (state === 'completed') yield* this.#told.message(message, 'text');
    else if (!isAtRest({ state })) yield* this.#told.message(message, 'reasoning');
  }

  /**
   * What a task that ended or waits means for the turn.
   *
   * @returns the person's answer, with which the task continues
   */
  async *#endOf(status: Status | undefined): AsyncGenerator<TurnEvent, readonly Part[] | undefined> {
    const { name } = this.#deps.agent;
    if (!status) return undefined;
    const words = status.message ? shownText(textOf(status.message.parts)).trim() : '';
    const said = words === '' ? '.' : `: ${words}`;
    switch (status.state) {
      case 'input-required':
        return yield* this.#ask(words);
      case 'auth-required':
        yield {
          kind: 'notice',
          markdown: `${name} needs you to sign in${said}\n\nThen send a message. The task will continue.`,
        };
        return undefined;
      case 'failed':
        throw new Fault('unavailable', `${name} could not complete the task${said}`);
      case 'rejected':
        throw new Fault('unavailable', `${name} declined the task${said}`);
      case 'canceled':
        yield { kind: 'notice', markdown: `${name} canceled the task${said}` };
        return undefined;
      default:
        return undefined;
    }
  }

  async *#ask(words: string): AsyncGenerator<TurnEvent, readonly Part[] | undefined> {
    const { host, agent, request } = this.#deps;
    const message = words === '' ? `${agent.name} needs more information.` : words;
    const { response, values } = await host.ask({
      id: `${request.turnId}-question-${this.#messages}`,
      message,
      questions: [{ kind: 'text', id: 'answer', message: 'Answer', required: true }],
    });
    const answer = values['answer'];
    if (response === 'accept' && typeof answer === 'string') return [{ kind: 'text', text: answer }];
    yield { kind: 'notice', markdown: 'To answer, send a message. The task will continue.' };
    return undefined;
  }

  /** The turn was stopped. A task that cannot be canceled is asked for in the next turn. */
  async #cancel(): Promise<void> {
    const { client, conversation } = this.#deps;
    const { openTask } = conversation;
    if (openTask === undefined) return;
    const isCanceled = await client.cancel(openTask, CANCEL_MS).then(
      () => true,
      () => false, // it has ended by itself, or the agent cannot stop it
    );
    if (isCanceled) conversation.forgetTask();
  }
}

/** Nothing more happens until the person says something. */
const isAtRest = ({ state }: Pick<Status, 'state'>): boolean => ended.has(state) || paused.has(state);
