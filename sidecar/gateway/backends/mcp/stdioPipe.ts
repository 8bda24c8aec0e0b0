import type { Children, LeashedChild } from '../../../platform/children/children.ts';
import { BackendFailure, tooLarge } from './failure.ts';
import type { MessagePipe, PipeHandlers } from './pipe.ts';
import type { McpTarget } from './types.ts';

export interface StdioPipeDeps {
  readonly target: McpTarget;
  readonly children: Children;
  /** The file to run, resolved and allowed by {@link resolveCommand}. */
  readonly command: string;
  readonly env: Readonly<Record<string, string>>;
  readonly onStarted?: (pid: number) => void;
}

/** A server that runs as our child: one message a line on its standard input and output. */
export function stdioPipe({ target, children, command, env, onStarted }: StdioPipeDeps): MessagePipe {
  let child: LeashedChild | undefined;
  let close: ((failure: BackendFailure) => void) | undefined;
  const closedFailure = (cause?: unknown) =>
    new BackendFailure('ended', `The MCP server '${target.name}' exited before it responded.`, {
      mayHaveRun: true,
      cause,
    });

  return {
    async open(handlers) {
      try {
        child = await children.spawn({ command, args: target.args ?? [], env, role: 'tool', title: target.name });
      } catch (cause) {
        throw new BackendFailure('unreachable', `The MCP server '${target.name}' could not be started.`, {
          mayHaveRun: false,
          cause,
        });
      }
      const running = child;
      onStarted?.(running.pid);
      let isClosed = false;
      const closeOnce = (failure: BackendFailure) => {
        if (isClosed) return;
        isClosed = true;
        handlers.onClose(failure);
        void running.stop();
      };
      close = closeOnce;
      readLines(running, target, handlers, closeOnce);
      void running.exited.then(() => closeOnce(closedFailure()));
    },
    async send(text) {
      if (!child) throw closedFailure();
      const { stdin } = child;
      try {
        await new Promise<void>((resolve, reject) => {
          stdin.write(`${oneLine(text)}\n`, (error) => (error ? reject(error) : resolve()));
        });
      } catch (cause) {
        // A program that exits closes its input first. A program that closed its input but keeps running cannot be called again.
        const failure = closedFailure(cause);
        close?.(failure);
        throw failure;
      }
    },
    async close() {
      await child?.stop();
    },
  };
}

/**
 * JSON in which no reader sees the end of a line: Node's `readline` and others end one at these too, so that a text within
 * a message would be a message of its own. They stand in strings alone, where an escape means the same.
 */
const oneLine = (json: string): string =>
  json.replace(/[\u0085\u2028\u2029]/g, (it) => `\\u${it.charCodeAt(0).toString(16).padStart(4, '0')}`);

function readLines(
  child: LeashedChild,
  target: McpTarget,
  { onMessage }: PipeHandlers,
  close: (failure: BackendFailure) => void,
): void {
  const decoder = new TextDecoder();
  let open: string[] = [];
  let size = 0;
  child.stdout.on('data', (chunk: Buffer) => {
    const lines = decoder.decode(chunk, { stream: true }).split('\n');
    const rest = lines.pop() ?? '';
    for (const line of lines) {
      const whole = open.length > 0 ? [...open, line].join('') : line;
      open = [];
      size = 0;
      if (whole.trim() !== '') onMessage(whole);
    }
    if (rest === '') return;
    open.push(rest);
    size += rest.length;
    if (size <= target.maxResponseBytes) return;
    child.stdout.pause();
    close(tooLarge(target.name, target.maxResponseBytes));
  });
}
