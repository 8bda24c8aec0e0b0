import { Fault } from '../../platform/faults.ts';
import { shownText } from '../../platform/shownText.ts';
import type { Timers } from '../../platform/timers.ts';
import type { SessionFiles, TurnEvent, TurnHost, TurnRequest } from '../provider.ts';
import { type A2aClient, AgentError, type RemoteAgent, StreamBroken } from './client.ts';
import type { Conversation } from './conversation.ts';
import { toParts } from './prompt.ts';
import { Told, textOf } from './told.ts';
import type { AgentEvent, Part, Status, TaskState } from './wire.ts';

/** How long the agent may take to confirm that its task is canceled. */
const CANCEL_MS = 3_000;
/** Delays before requests for the state of a task that does not stream. The last one repeats. */
const POLL_MS = [250, 500, 1_000, 2_000, 5_000] as const;
/** How often the state before the message is ignored. After that, the agent is asking the same question again. */
const MOST_OLD = 6;

const ended: ReadonlySet<TaskState> = new Set(['completed', 'canceled', 'failed', 'rejected']);
/** The task waits for the user. */
const paused: ReadonlySet<TaskState> = new Set(['input-required', 'auth-required']);

export interface A2aTurnDeps {
  readonly agent: RemoteAgent;
  readonly client: A2aClient;
  readonly conversation: Conversation;
  readonly files: SessionFiles;
  readonly timers: Pick<Timers, 'wait'>;
  readonly request: TurnRequest;
  readonly host: TurnHost;
  /** Aborted if the user stops the turn. That cancels the task. */
  readonly signal: AbortSignal;
  /** Aborted if the host stops. The task continues, and the next turn reports what it did. */
  readonly leaves: AbortSignal;
}

/** One turn: a message, the task that it starts or continues, and the questions of the agent until the task ends. */
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

  /** If a task was running when an earlier host stopped, the turn first reports what it did since then. */
  async *#catchUp(): AsyncGenerator<TurnEvent, void> {
    const { client, conversation, agent } = this.#deps;
    const { runningTask } = conversation;
    if (runningTask === undefined) return;
    const task = await client.task(runningTask, this.#signal).catch((thrown: unknown) => {
      // A task is forgotten only if the agent refuses to return it. Otherwise, the next turn tries again.
      if (this.#signal.aborted || !(thrown instanceof AgentError) || thrown.isInternal) throw thrown;
      return undefined;
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
    /** An agent may first return the state that the task had before the message. */
    const isOld = ({ state, mark }: Status) => paused.has(state) && mark !== undefined && mark === pausedBy;
    let status: Status | undefined;
    let isLost = false;
    try {
      for await (const event of client.send({ messageId, parts, contextId, taskId }, this.#signal)) {
        conversation.note(event);
        if ('status' in event) status = event.status;
        yield* this.#tell(event);
        if (status && isAtRest(status) && !isOld(status)) return status;
      }
    } catch (thrown) {
      // The task continues without the connection, and its state can be requested.
      if (!(thrown instanceof StreamBroken) || conversation.openTask === undefined || this.#signal.aborted)
        throw thrown;
      isLost = conversation.runningTask !== undefined;
    }
    const last = status ?? (isLost ? notReported : undefined);
    return last && (!isAtRest(last) || isOld(last)) ? yield* this.#poll(last, isOld) : last;
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

  /** A message that belongs to a question or a failure is shown with that. */
  *#tellStatus({ state, message }: Status): Generator<TurnEvent, void> {
    if (!message) return;
    if (state === 'completed') yield* this.#told.message(message, 'text');
    else if (!isAtRest({ state })) yield* this.#told.message(message, 'reasoning');
  }

  /**
   * Reports how a task ended or why it waits.
   *
   * @returns the user's answer, with which the task continues
   */
  async *#endOf(status: Status | undefined): AsyncGenerator<TurnEvent, readonly Part[] | undefined> {
    const { name } = this.#deps.agent;
    if (!status) return undefined;
    const words = status.message ? shownText(textOf(status.message.parts)).trim() : '';
    switch (status.state) {
      case 'input-required':
        return yield* this.#ask(words);
      case 'auth-required':
        yield {
          kind: 'notice',
          markdown:
            words === ''
              ? `${name} needs you to sign in. Then send a message. The task will continue.`
              : `${name} needs you to sign in: ${words}\n\nThen send a message. The task will continue.`,
        };
        return undefined;
      case 'failed':
        throw new Fault(
          'unavailable',
          words === '' ? `${name} could not complete the task.` : `${name} could not complete the task: ${words}`,
        );
      case 'rejected':
        throw new Fault(
          'unavailable',
          words === '' ? `${name} declined the task.` : `${name} declined the task: ${words}`,
        );
      case 'canceled':
        yield {
          kind: 'notice',
          markdown: words === '' ? `${name} canceled the task.` : `${name} canceled the task: ${words}`,
        };
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
      questions: [{ kind: 'text', id: 'answer', message: 'Your answer', required: true }],
    });
    const answer = values['answer'];
    if (response === 'accept' && typeof answer === 'string') return [{ kind: 'text', text: answer }];
    yield { kind: 'notice', markdown: 'To answer, send a message. The task will continue.' };
    return undefined;
  }

  /** Called when the turn was stopped. If the task cannot be canceled, the next turn reports what it did. */
  async #cancel(): Promise<void> {
    const { client, conversation } = this.#deps;
    const { openTask } = conversation;
    if (openTask === undefined) return;
    const isCanceled = await client.cancel(openTask, CANCEL_MS).then(
      () => true,
      () => false, // the task has ended, or the agent cannot cancel it
    );
    if (isCanceled) conversation.forgetTask();
  }
}

const notReported: Status = { state: 'unknown', message: undefined, mark: undefined };

/** The task has ended or waits for the user. */
const isAtRest = ({ state }: Pick<Status, 'state'>): boolean => ended.has(state) || paused.has(state);
