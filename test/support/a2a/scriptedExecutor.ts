import { Message, Part, TaskState } from '@a2a-js/sdk';
import { AgentEvent, type AgentExecutor, type ExecutionEventBus, type RequestContext } from '@a2a-js/sdk/server';

/**
 * Does what the message says: `slow` waits after its first piece until `go` is called or the task is cancelled, `ask` and
 * `sign in` wait for a message that continues the task, `break` fails, `files` sends files, everything else is answered at
 * once.
 */
export class ScriptedExecutor implements AgentExecutor {
  readonly #waiting = new Map<string, () => void>();
  readonly #contexts = new Map<string, string>();

  /** Lets every slow task go on. */
  go(): void {
    for (const it of this.#waiting.values()) it();
  }

  async execute({ taskId, contextId, userMessage, task }: RequestContext, bus: ExecutionEventBus): Promise<void> {
    this.#contexts.set(taskId, contextId);
    if (task) {
      bus.publish(AgentEvent.task(task));
      this.#say(bus, taskId, `you said ${textOf(userMessage)}`, true);
      this.#status(bus, taskId, TaskState.TASK_STATE_COMPLETED);
      return bus.finished();
    }
    bus.publish(
      AgentEvent.task({
        id: taskId,
        contextId,
        status: { state: TaskState.TASK_STATE_SUBMITTED, message: undefined, timestamp: undefined },
        artifacts: [],
        history: [userMessage],
        metadata: undefined,
      }),
    );
    const rest = rests[textOf(userMessage)];
    if (rest) {
      this.#status(bus, taskId, rest.state, rest.words);
      return bus.finished();
    }
    if (textOf(userMessage) === 'files') return this.#sendFiles(bus, taskId);
    const isSlow = textOf(userMessage) === 'slow';
    this.#say(bus, taskId, 'sun', !isSlow);
    if (isSlow) {
      let isCancelled = true;
      await new Promise<void>((resolve) => {
        this.#waiting.set(taskId, () => {
          isCancelled = false;
          resolve();
        });
        bus.once('finished', resolve);
      });
      this.#waiting.delete(taskId);
      if (isCancelled) return;
      this.#say(bus, taskId, 'rain', true);
    }
    this.#status(bus, taskId, TaskState.TASK_STATE_COMPLETED);
    bus.finished();
  }

  cancelTask(taskId: string, bus: ExecutionEventBus): Promise<void> {
    this.#status(bus, taskId, TaskState.TASK_STATE_CANCELED);
    bus.finished();
    return Promise.resolve();
  }

  #say(bus: ExecutionEventBus, taskId: string, text: string, isLast: boolean): void {
    const artifact = { artifactId: text, name: '', description: '', metadata: undefined, extensions: [] };
    bus.publish(
      AgentEvent.artifactUpdate({
        taskId,
        contextId: this.#contexts.get(taskId) ?? '',
        artifact: { ...artifact, parts: [Part.fromJSON({ text })] },
        append: false,
        lastChunk: isLast,
        metadata: undefined,
      }),
    );
  }

  #sendFiles(bus: ExecutionEventBus, taskId: string): void {
    this.#status(bus, taskId, TaskState.TASK_STATE_WORKING, 'Writing the report.');
    const report = { artifactId: 'report', name: 'report.md', description: '', metadata: undefined, extensions: [] };
    const chunk = (text: string, append: boolean, lastChunk: boolean) => {
      const artifact = { ...report, parts: [Part.fromJSON({ text })] };
      const contextId = this.#contexts.get(taskId) ?? '';
      bus.publish(AgentEvent.artifactUpdate({ taskId, contextId, artifact, append, lastChunk, metadata: undefined }));
    };
    chunk('# Weather\n', false, false);
    chunk('Sunny.', true, true);
    const raw = Buffer.from('a picture').toString('base64');
    const picture = Part.fromJSON({ raw, mediaType: 'image/png', filename: 'map.png' });
    const artifact = { ...report, artifactId: 'map', name: 'map', parts: [picture] };
    const contextId = this.#contexts.get(taskId) ?? '';
    bus.publish(
      AgentEvent.artifactUpdate({ taskId, contextId, artifact, append: false, lastChunk: true, metadata: undefined }),
    );
    this.#status(bus, taskId, TaskState.TASK_STATE_COMPLETED, 'Two files.');
    bus.finished();
  }

  #status(bus: ExecutionEventBus, taskId: string, state: TaskState, words?: string): void {
    const contextId = this.#contexts.get(taskId) ?? '';
    const message =
      words === undefined
        ? undefined
        : Message.fromJSON({
            messageId: `${taskId} ${words}`,
            role: 'ROLE_AGENT',
            parts: [{ text: words }],
            taskId,
            contextId,
          });
    const status = { state, message, timestamp: undefined };
    bus.publish(AgentEvent.statusUpdate({ taskId, contextId, status, metadata: undefined }));
  }
}

/** Messages after which a task waits or has failed, and what the agent says then. */
const rests: Readonly<Record<string, { readonly state: TaskState; readonly words: string }>> = {
  ask: { state: TaskState.TASK_STATE_INPUT_REQUIRED, words: 'Which city?' },
  'sign in': { state: TaskState.TASK_STATE_AUTH_REQUIRED, words: 'Visit https://weather.test/sign-in.' },
  break: { state: TaskState.TASK_STATE_FAILED, words: 'The barometer is broken.' },
};

const textOf = ({ parts }: Message): string =>
  parts.map((it) => (it.content?.$case === 'text' ? it.content.value : '')).join('');
