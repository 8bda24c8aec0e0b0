import * as z from 'zod';
import type { Timers } from '../../../platform/timers.ts';
import { absolute } from './paths.ts';
import { type CoderTool, tool } from './tool.ts';

const USUAL_SECONDS = 120;
const MOST_CHARACTERS = 30_000;

/** Commands run in terminals of the host, in which the user can watch them, end them, or move them to the background. */
export const runWith = (timers: Pick<Timers, 'after'>): CoderTool =>
  tool({
    name: 'shell',
    kind: 'shell',
    description:
      'Runs a command in a POSIX shell in the working folder, and returns its output. Use it for tests, builds, and Git. The command cannot ask for input.',
    input: z.object({
      command: z.string().min(1),
      cwd: z.string().exactOptional().describe('Folder. Default: the working folder'),
      timeout: z.int().min(1).max(3_600).exactOptional().describe(`Seconds. Default: ${USUAL_SECONDS}`),
    }),
    async run({ command: asked, cwd = '.', timeout = USUAL_SECONDS }, { context, confirm, emit, toolCallId, signal }) {
      const place = absolute(context, cwd);
      const { editedInput: command = asked } = await confirm({
        kind: 'shell',
        invocationMessage: `Run ${firstLineOf(asked)}`,
        toolInput: asked,
        command: asked,
        cwd: place,
        paths: [],
      });
      const terminal = await context.terminals.run({ command, env: {}, cwd: place, toolCallId });
      emit({ kind: 'toolContent', toolCallId, content: [{ kind: 'terminal', terminal: terminal.shown() }] });
      let isLate = false;
      const end = () => void terminal.kill().catch(() => undefined); // a command in the background is not ended with the turn
      const stop = timers.after(timeout * 1_000, () => {
        isLate = true;
        end();
      });
      signal.addEventListener('abort', end, { once: true });
      if (signal.aborted) end();
      const exit = await terminal.waitForExit().finally(() => {
        stop();
        signal.removeEventListener('abort', end);
      });
      const { text } = terminal.output();
      const content = [{ kind: 'terminal' as const, terminal: terminal.shown() }];
      await terminal.release();
      const edited = command === asked ? '' : `The user changed the command to: ${command}\n`;
      const { exitCode, signal: ended } = exit;
      const how = terminal.isInBackground
        ? 'The user moved the command to the background. It is still running.'
        : isLate
          ? `The command was ended after ${timeout} seconds.`
          : exitCode === null
            ? `The command was ended by ${ended ?? 'a signal'}.`
            : `Exit code ${exitCode}.`;
      return {
        text: `${edited}${how}\n${shortened(text)}`.trimEnd(),
        past: `Ran ${firstLineOf(command)}`,
        content,
        ...(!terminal.isInBackground && exitCode !== 0 && { hasFailed: true }),
      };
    },
  });

const firstLineOf = (command: string): string => command.trim().split('\n')[0]!;

/** The beginning and the end, because errors can be at either. */
function shortened(text: string): string {
  if (text.length <= MOST_CHARACTERS) return text;
  const half = MOST_CHARACTERS / 2;
  return `${text.slice(0, half)}\n… ${text.length - MOST_CHARACTERS} characters omitted …\n${text.slice(-half)}`;
}
