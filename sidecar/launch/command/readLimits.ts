import { firstIssue } from '../../protocol/building.ts';
import { ConnectionLimits } from '../../protocol/limits.ts';
import { exitCodes, LaunchFailure, reasonOf } from '../failure.ts';

/** @throws {LaunchFailure} `usage`, naming the member that is wrong */
export function readLimits(json: string): ConnectionLimits {
  let read: unknown;
  try {
    read = JSON.parse(json);
  } catch (thrown) {
    throw new LaunchFailure(exitCodes.usage, `The limits cannot be used: ${reasonOf(thrown)}.`, thrown);
  }
  const parsed = ConnectionLimits.safeParse(read);
  if (parsed.success) return parsed.data;
  throw new LaunchFailure(exitCodes.usage, `The limits cannot be used: ${firstIssue(parsed.error)}.`);
}
