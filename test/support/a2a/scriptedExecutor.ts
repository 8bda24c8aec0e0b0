import { type Message, Part, TaskState } from '@a2a-js/sdk';
import { AgentEvent, type AgentExecutor, type ExecutionEventBus, type RequestContext } from '@a2a-js/sdk/server';

/**
 * Does what the message says: `slow` waits after its first piece until `go` is called or the task is cancelled,
 * everything else is answered at once.
 */
export class ScriptedExecutor implements AgentExecutor {
  readonly #waiting = new Map<string, () => void>();
  readonly #contexts = new Map<string, string>();

  /** Lets every slow task go on. */
  go(): void {
    for (const it of this.#waiting.values()) it();
  }

  async execute({ taskId, contextId, userMessage }: RequestContext, bus: ExecutionEventBus): Promise<void> {
    this.#contexts.set(taskId, contextId);
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

  #status(bus: ExecutionEventBus, taskId: string, state: TaskState): void {
    const status = { state, message: undefined, timestamp: undefined };
    const contextId = this.#contexts.get(taskId) ?? '';
    bus.publish(AgentEvent.statusUpdate({ taskId, contextId, status, metadata: undefined }));
  }
}

const textOf = ({ parts }: Message): string =>
  parts.map((it) => (it.content?.$case === 'text' ? it.content.value : '')).join('');
