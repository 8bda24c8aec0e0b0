import type { Children } from '../../../platform/children/children.ts';
import { agentEnvironment, redact } from '../../../platform/children/environment.ts';
import { Fault } from '../../../platform/faults.ts';
import type { Timers } from '../../../platform/timers.ts';

export interface ToolDeps {
  readonly children: Pick<Children, 'spawn'>;
  readonly timers: Timers;
  readonly signal: AbortSignal;
}
export interface ToolRun {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** For a person: "npm install x". */
  readonly title: string;
  readonly limitMs: number;
}

const MOST_OUTPUT = 8 * 1024 * 1024;

/**
 * Runs a program to its end, on a leash.
 * @returns what it printed
 * @throws {Fault} `unavailable` with its last lines where it fails or takes too long; the reason of the signal that ended it
 */
export async function runTool(run: ToolRun, { children, timers, signal }: ToolDeps): Promise<string> {
  signal.throwIfAborted();
  const child = await children.spawn({ ...run, role: 'tool' });
  const limit = timers.deadline(run.limitMs);
  const ends = AbortSignal.any([signal, limit]);
  const stop = () => void child.stop();
  ends.addEventListener('abort', stop);
  if (ends.aborted) stop();
  child.stdin.end();
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    if (output.length < MOST_OUTPUT) output += text;
  });
  const { code } = await child.exited;
  ends.removeEventListener('abort', stop);
  await child.stop(); // what it started may still write into the folder that is taken away now
  signal.throwIfAborted();
  if (limit.aborted)
    throw new Fault('unavailable', `${run.title} did not finish within ${Math.round(run.limitMs / 60_000)} minutes.`);
  if (code !== 0)
    throw new Fault('unavailable', `${run.title} failed: ${lastLines(child.stderrTail() || output, run.env)}`);
  return output;
}

/** Without secrets, the home folder and npm's own decoration. */
function lastLines(text: string, env: ToolRun['env']): string {
  const lines = redact(text, env)
    .split('\n')
    .map((it) => it.replace(/^npm (?:error|ERR!)\s*/, '').trim())
    .filter((it) => it !== '' && !/complete log of this run|_logs/.test(it));
  return lines.slice(0, 4).join(' ').slice(0, 500) || 'there was no output.';
}

/** Variables with which a person says where packages come from, and what is needed to get them. */
const sources = [
  ...['registry', 'userconfig', 'globalconfig', 'proxy', 'https_proxy', 'noproxy', 'cafile', 'strict_ssl'].map(
    (it) => `npm_config_${it}`,
  ),
  'npm_config_@*',
  'npm_config_//*',
  'NPM_TOKEN',
  'NODE_AUTH_TOKEN',
  'UV_INDEX*',
  'UV_DEFAULT_INDEX',
  'UV_EXTRA_INDEX_URL',
  'UV_NATIVE_TLS',
  'UV_OFFLINE',
];
export function toolEnvironment(env: Readonly<Record<string, string>>): Record<string, string> {
  return agentEnvironment(env, sources);
}
