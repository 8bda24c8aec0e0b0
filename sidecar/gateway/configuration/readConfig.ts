import { GatewayConfig } from '../../protocol/gateway/config.ts';
import { findingsOf } from './findings.ts';
import type { ConfigProblem } from './problem.ts';
import { checkRules } from './rules.ts';
import { ConfigText } from './text.ts';

export type ReadConfig =
  | { readonly config: GatewayConfig; readonly warnings: readonly ConfigProblem[] }
  /** Not empty. */
  | { readonly problems: readonly ConfigProblem[] };

/** Judges the text of `switchboard.jsonc`: what it says, or everything that is wrong with it. Reads no file. */
export function readConfig(text: string): ReadConfig {
  const source = new ConfigText(text);
  if (source.problems.length > 0) return { problems: source.problems };
  const { value } = source;
  const parsed = GatewayConfig.safeParse(value);
  if (!parsed.success) {
    const findings = parsed.error.issues.flatMap((it) => findingsOf(it, value));
    return { problems: findings.map((it) => source.place(it)) };
  }
  const judged = checkRules(parsed.data).map((it) => source.place(it));
  const problems = judged.filter((it) => it.kind !== 'warning');
  if (problems.length > 0) return { problems: judged };
  return { config: parsed.data, warnings: judged };
}
