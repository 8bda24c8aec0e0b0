import { dirname } from 'node:path';
import type { Clock } from '../platform/clock.ts';
import { Fault } from '../platform/faults.ts';
import type { Log } from '../platform/logger.ts';
import { applyConfig } from './configuration/applyConfig.ts';
import type { CurrentGuardrails } from './configuration/currentGuardrails.ts';
import type { ConfigProblem, Finding } from './configuration/problem.ts';
import { ConfigWatch, type Reloaded } from './configuration/watchConfig.ts';
import type { GatewayStore } from './storage/store.ts';

export interface FollowConfigDeps {
  readonly store: GatewayStore;
  /** Absolute. */
  readonly file: string;
  /** Gets those of the file. */
  readonly guardrails: CurrentGuardrails;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
  readonly newId: () => string;
  readonly log: Log;
}

/**
 * Brings servers, agents, teams, guardrails and the like in line with the file, now and whenever it changes. A file that becomes wrong
 * later is told in the log and changes nothing. What is read at start only (`listen` and its like) waits for the next start.
 * @throws {Fault} `invalid_params` with the first mistake, where the file cannot be used now
 */
export async function followConfig(deps: FollowConfigDeps): Promise<ConfigWatch> {
  const { store, file, guardrails, env, clock, newId, log } = deps;
  const watch = new ConfigWatch({
    file,
    async apply(config) {
      const sources = { env, folder: dirname(file) };
      const applied = await applyConfig(store, config, { actor: 'config', sources, now: () => clock.now(), newId });
      // After the records: one that names a guardrail which is not there yet is refused and not left unguarded.
      if ('changes' in applied) guardrails.set(config.guardrails);
      return applied;
    },
    reloaded: (outcome) => tell(outcome, log),
    schedule: (work, delayMs) => {
      const timer = setTimeout(work, delayMs);
      timer.unref();
      return () => clearTimeout(timer);
    },
  });
  const first = await watch.start();
  tell(first, log);
  if (first.kind === 'applied') return watch;
  await watch.close();
  if (first.kind === 'failed') throw first.thrown;
  const [problem] = first.problems;
  throw new Fault('invalid_params', `${file}: ${problem ? spoken(problem) : 'it cannot be used'}`, {
    data: first.problems,
  });
}

function tell(outcome: Reloaded, log: Log): void {
  if (outcome.kind === 'failed') return log.error({ thrown: outcome.thrown }, 'the configuration could not be applied');
  if (outcome.kind === 'kept') {
    const problems = outcome.problems.map(spoken);
    return log.warn({ problems }, 'the configuration file is wrong, so the one of before stays in use');
  }
  const { changes, loaded } = outcome;
  log.info({ changes, notes: loaded.notes }, 'the configuration is in use');
}

const spoken = ({ path, message }: ConfigProblem | Finding): string => {
  const place = typeof path === 'string' ? path : path.join('.');
  return place === '' ? message : `${place}: ${message}`;
};
