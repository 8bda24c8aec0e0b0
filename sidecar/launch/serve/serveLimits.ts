import { readFileSync } from 'node:fs';
import * as z from 'zod';
import { firstIssue } from '../../protocol/building.ts';
import { ConnectionLimits } from '../../protocol/limits.ts';
import { exitCodes, LaunchFailure, reasonOf } from '../failure.ts';

/** What `--limits-file` may say, as JSON. Each member may be absent. */
const ServeLimits = z.strictObject({
  ...ConnectionLimits.shape,
  /** Most clients at a time; more are answered 503. */
  connections: z.int().min(1).default(32),
  /** What one client may send in a second, after a burst of as many; it is read no faster. */
  messagesPerSecond: z.int().min(1).default(2_000),
});
export interface ServeLimits {
  readonly connections: number;
  readonly messagesPerSecond: number;
  readonly connection: ConnectionLimits;
}

/** @throws {LaunchFailure} `usage`, naming the member that is wrong */
export function readServeLimits(path: string | undefined): ServeLimits {
  const { connections, messagesPerSecond, ...connection } = parse(path);
  return { connections, messagesPerSecond, connection };
}

function parse(path: string | undefined): z.output<typeof ServeLimits> {
  if (path === undefined) return ServeLimits.parse({});
  const wrong = (why: string, cause?: unknown) =>
    new LaunchFailure(exitCodes.usage, `The limits in ${path} cannot be used: ${why}.`, cause);
  let read: unknown;
  try {
    read = JSON.parse(readFileSync(path, 'utf8'));
  } catch (thrown) {
    throw wrong(reasonOf(thrown), thrown);
  }
  const parsed = ServeLimits.safeParse(read);
  if (!parsed.success) throw wrong(firstIssue(parsed.error));
  return parsed.data;
}
