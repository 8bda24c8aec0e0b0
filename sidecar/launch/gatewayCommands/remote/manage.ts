import * as z from 'zod';
import { parsedJson } from '../../../platform/json.ts';
import { exitCodes, LaunchFailure, reasonOf } from '../../failure.ts';
import type { CommandContext } from '../command.ts';
import { readSecretFile } from '../files.ts';
import type { AskedCommand } from '../readCommand.ts';

const TIMEOUT_MS = 60_000;
const AGAIN_MS = 200;
const ErrorBody = z.object({ error: z.object({ message: z.string() }) });

/**
 * A call to the management routes of a running gateway, with the administrator's key.
 * @throws {LaunchFailure} `noHost` where the gateway cannot be reached, `refused` with what it said
 */
export async function manage<T>(
  asked: AskedCommand,
  context: CommandContext,
  { path, body, answer }: { readonly path: string; readonly body: object; readonly answer: z.ZodType<T> },
): Promise<T> {
  const base = (asked.one('url') ?? 'http://127.0.0.1:4000').replace(/\/+$/, '');
  if (!/^https?:$/.test(URL.parse(base)?.protocol ?? ''))
    throw new LaunchFailure(exitCodes.usage, `--url must be a URL such as https://gateway.example.com, not "${base}".`);
  const key = await adminKeyOf(asked, context);
  await awaitGateway(base, asked, context);
  const { response, text } = await posted(`${base}${path}`, key, body, context).catch((thrown: unknown) => {
    const cause = thrown instanceof Error && thrown.cause instanceof Error ? thrown.cause : thrown;
    const message = `The gateway at ${base} cannot be reached: ${reasonOf(cause)}. Start it, or specify its address with --url.`;
    throw new LaunchFailure(exitCodes.noHost, message, thrown);
  });
  const value = parsedJson(text);
  const read = answer.safeParse(value);
  if (response.ok && read.success) return read.data;
  const said = ErrorBody.safeParse(value).data?.error.message ?? `it answered with status ${response.status}`;
  throw new LaunchFailure(exitCodes.refused, `The gateway at ${base} rejected the request: ${said}`);
}

async function posted(url: string, key: string, body: object, { timers }: CommandContext) {
  const response = await fetch(url, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
    // A key goes to the address that was named and nowhere else.
    redirect: 'error',
    signal: timers.deadline(TIMEOUT_MS),
  });
  return { response, text: await response.text() };
}

/** Returns when the gateway is ready or the wait is over. The call that follows finds out whether it is there. */
async function awaitGateway(base: string, asked: AskedCommand, { clock, timers }: CommandContext): Promise<void> {
  const seconds = asked.one('wait') ?? '0';
  if (!/^\d{1,4}$/.test(seconds))
    throw new LaunchFailure(exitCodes.usage, `--wait must be a number of seconds, not "${seconds}".`);
  const endMs = clock.monotonicMs() + Number(seconds) * 1_000;
  const leftMs = () => Math.ceil(endMs - clock.monotonicMs());
  while (leftMs() > 0 && !(await isReady(base, timers.deadline(leftMs())))) await timers.wait(AGAIN_MS);
}

const isReady = (base: string, signal: AbortSignal): Promise<boolean> =>
  fetch(`${base}/readyz`, { redirect: 'error', signal }).then(
    ({ ok }) => ok,
    () => false, // it is not there yet
  );

async function adminKeyOf(asked: AskedCommand, context: CommandContext): Promise<string> {
  const file = asked.one('admin-key-file');
  if (file !== undefined) return readSecretFile(file, context);
  const key = context.process.env['SWITCHBOARD_ADMIN_KEY'];
  if (key) return key;
  const message =
    "An administrator's key is required: specify its file with --admin-key-file, or set SWITCHBOARD_ADMIN_KEY.";
  throw new LaunchFailure(exitCodes.usage, message);
}
