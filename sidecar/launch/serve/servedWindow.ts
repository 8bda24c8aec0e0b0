import { readFileSync } from 'node:fs';
import * as z from 'zod';
import { firstIssue } from '../../protocol/building.ts';
import { AgentSetting, PermissionRule, type WindowInfo } from '../../protocol/window.ts';
import { exitCodes, LaunchFailure, reasonOf } from '../failure.ts';

/** The name of a file that is the process's own input. */
const INPUT = '-';

/** What `--window-file` may say, as JSON: what a window would, for clients that have none. Each member may be absent. */
const ServedWindow = z.strictObject({
  agents: z.array(AgentSetting).default([]),
  rules: z
    .array(
      PermissionRule.extend({ id: z.string().min(1).optional(), source: PermissionRule.shape.source.default('user') }),
    )
    .default([]),
});

/**
 * How the host gets to know clients of the public protocol: they have no settings, and nobody there answers for a person.
 * @throws {LaunchFailure} `usage`, naming the member that is wrong
 */
export function readServedWindow(path: string | undefined): Omit<WindowInfo, 'env'> {
  const { agents, rules } = parse(path);
  const plain = {
    trusted: true,
    folders: [],
    idleExitMinutes: 10,
    durability: 'normal',
    answersQuestions: false,
  } as const;
  return { ...plain, folders: [], agents, rules: rules.map((it, at) => ({ ...it, id: it.id ?? `served:${at}` })) };
}

function parse(path: string | undefined): z.output<typeof ServedWindow> {
  if (path === undefined) return ServedWindow.parse({});
  const wrong = (why: string, cause?: unknown) =>
    new LaunchFailure(
      exitCodes.usage,
      `The window settings in ${path === INPUT ? 'the input' : path} cannot be used: ${why}.`,
      cause,
    );
  let read: unknown;
  try {
    read = JSON.parse(readFileSync(path === INPUT ? 0 : path, 'utf8'));
  } catch (thrown) {
    throw wrong(reasonOf(thrown), thrown);
  }
  const parsed = ServedWindow.safeParse(read);
  if (!parsed.success) throw wrong(firstIssue(parsed.error));
  return parsed.data;
}
