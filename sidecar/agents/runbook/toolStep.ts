import type { Answers } from './placeholders.ts';
import { fillText } from './placeholders.ts';
import { done, type RunDeps, type StepEnd } from './progress.ts';

/** One call of a tool that the session offers. The host asks about it, and shows it with its result. */
export async function runTool(
  name: string,
  input: Readonly<Record<string, unknown>>,
  { host }: RunDeps,
): Promise<StepEnd> {
  if (!host.tools.list().some((it) => it.name === name))
    return { kind: 'failed', why: `This session has no tool named "${name}".` };
  const { success, error } = await host.tools.call(name, input);
  return success ? done : { kind: 'failed', why: `The tool "${name}" failed: ${error ?? 'no reason was given'}.` };
}

/** Puts answers into every text of the input, however deep it lies. */
export function fillInput(
  input: Readonly<Record<string, unknown>>,
  answers: Answers,
  names: ReadonlySet<string>,
): Readonly<Record<string, unknown>> {
  const fill = (value: unknown): unknown => {
    if (typeof value === 'string') return fillText(value, answers, names);
    if (Array.isArray(value)) return value.map(fill);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, it]) => [key, fill(it)]));
  };
  return Object.fromEntries(Object.entries(input).map(([key, it]) => [key, fill(it)]));
}
