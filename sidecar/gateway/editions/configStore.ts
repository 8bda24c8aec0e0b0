import { readFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { Fault } from '../../platform/faults.ts';
import type { Runtime } from '../../platform/runtime.ts';
import type { SecretRef } from '../../protocol/gateway/config/secretRef.ts';
import { GatewayConfig } from '../../protocol/gateway/config.ts';
import type { Guardrail } from '../../protocol/gateway/guardrail.ts';
import { applyConfig } from '../configuration/applyConfig.ts';
import { CurrentGuardrails } from '../configuration/currentGuardrails.ts';
import { loadConfig } from '../configuration/loadConfig.ts';
import type { ConfigProblem, Finding } from '../configuration/problem.ts';
import { findSecret, type SecretSources } from '../configuration/secretSources.ts';
import { sentencesOf } from '../configuration/sentences.ts';
import { ConfigWatch, type Reloaded } from '../configuration/watchConfig.ts';
import type { GatewayStore } from '../storage/store.ts';
import { openStores } from './openStores.ts';

/** Where the database did not answer, the file is taken up again so much later. */
const RETRY_MS = 5_000;
/** Members that are records or are read anew; every other is read at the start only. */
const followed: ReadonlySet<string> = new Set([
  '$schema',
  'mcp_servers',
  'agents',
  'toolsets',
  'teams',
  'organizations',
  'budgets',
  'guardrails',
  'alerts',
  'import',
]);

export interface ConfiguredDeps {
  /** Absent: nothing is configured by a file. */
  readonly file: string | undefined;
  /** No file is the same as an empty one; one that comes later is followed. */
  readonly isOptional?: boolean;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly runtime: Pick<Runtime, 'clock' | 'timers' | 'newId' | 'log'>;
}

/** The configuration file of a running gateway. */
export interface Configured {
  /** As it was at the start. */
  readonly config: GatewayConfig;
  /** Of the file: other paths begin there. */
  readonly folder: string;
  /** Where secrets of the file are looked up. */
  readonly sources: SecretSources;
  /** A server rejected the credential of the file: it may have changed in its store. Absent where nothing is in a store. */
  readonly credentialRefused: (() => void) | undefined;
  /** Those of the file as it is now: the same objects until they change. */
  guardrails(): readonly Guardrail[];
  /** Reads a secret that the configuration names. @throws {Fault} `unavailable` */
  secretOf(ref: SecretRef): Promise<string>;
  /** Programs that the file itself names now, none of an imported one: `stdio.allowed_commands`, and those of its servers. */
  programs(): readonly string[];
  /** Brings the records in line with the file, and from then on follows it. @throws {Fault} with every mistake and its place */
  apply(store: GatewayStore): Promise<void>;
  /** Reads the file now. A file that is wrong changes nothing: the log says what is. */
  reload(): Promise<void>;
  close(): Promise<void>;
}

/** @throws {Fault} `invalid_params` with every mistake and its place, a line each */
export async function openConfigured(deps: ConfiguredDeps): Promise<Configured> {
  if (deps.file === undefined) return unconfigured();
  const file = resolve(deps.file);
  const folder = dirname(file);
  const { env, isOptional = false } = deps;
  const { clock, timers, newId, log } = deps.runtime;
  const before = await loadConfig(file, isOptional);
  const { result, notes } = before;
  if (!('config' in result)) throw await wrong(file, result.problems);
  const { config } = result;
  for (const it of await spoken(file, result.warnings)) log.warn({}, it);
  for (const it of notes) log.warn({ file: it.file, path: it.path }, `Import: ${it.message}`);
  // Before anything is served: no call passes without them.
  const guardrails = new CurrentGuardrails(config.guardrails);
  const stores = await openStores(config, { env, folder }, deps.runtime);
  const sources: SecretSources = { env, folder, ...(stores && { stores: stores.reads }) };
  let { programs } = before;
  let watch: ConfigWatch | undefined;
  let stopRetry: (() => void) | undefined;

  async function logOutcome(outcome: Reloaded): Promise<void> {
    stopRetry?.();
    if (outcome.kind === 'kept') {
      log.error({}, 'The configuration has errors. The previous one remains in use.');
      for (const it of await spoken(file, outcome.problems)) log.error({}, it);
    } else if (outcome.kind === 'failed') {
      log.error({ thrown: outcome.thrown }, 'The configuration could not be applied. The gateway will retry soon.');
      stopRetry = timers.after(RETRY_MS, () => void watch?.reload());
    } else if (outcome.changes > 0 || !stores?.isRefreshing) {
      log.info({ changes: outcome.changes }, 'The configuration was reloaded.');
      const late = needRestart(config, outcome.config);
      if (late.length > 0) log.warn({ members: late }, 'Some configuration changes require a restart.');
    }
  }

  return {
    config,
    folder,
    sources,
    credentialRefused: stores?.refused,
    guardrails: () => guardrails.now,
    async secretOf(ref) {
      const found = await findSecret(ref, sources);
      if ('value' in found) return found.value;
      throw new Fault('unavailable', `A secret of the configuration cannot be read: ${found.missing}.`);
    },
    programs: () => programs,
    async apply(store) {
      await watch?.close();
      const options = { actor: 'config', sources, now: clock.now, newId };
      watch = new ConfigWatch({
        file,
        isOptional,
        async apply(wanted, loaded) {
          const applied = await applyConfig(store, wanted, options);
          // After the records: one that names a guardrail which is not there yet is refused and not left unguarded.
          if ('changes' in applied) {
            guardrails.set(wanted.guardrails);
            ({ programs } = loaded);
          }
          return applied;
        },
        reloaded: (outcome) => void logOutcome(outcome),
        timers,
      });
      const first = await watch.start(before);
      if (first.kind === 'kept') throw await wrong(file, first.problems);
      if (first.kind === 'failed') throw first.thrown;
      stores?.follow(() => watch?.reload());
    },
    reload: async () => watch?.reload(),
    async close() {
      stopRetry?.();
      await watch?.close();
      await stores?.close();
    },
  };
}

const none: readonly never[] = [];
const unconfigured = (): Configured => ({
  config: GatewayConfig.parse({}),
  folder: '.',
  sources: { env: {}, folder: '.' },
  credentialRefused: undefined,
  guardrails: () => none,
  secretOf: () => Promise.reject(new Fault('unavailable', 'There is no configuration file that names secrets.')),
  programs: () => none,
  apply: () => Promise.resolve(),
  reload: () => Promise.resolve(),
  close: () => Promise.resolve(),
});

const needRestart = (before: GatewayConfig, now: GatewayConfig): readonly string[] =>
  [...new Set([...Object.keys(before), ...Object.keys(now)])].filter(
    (it) => !followed.has(it) && !isDeepStrictEqual(before[it as keyof GatewayConfig], now[it as keyof GatewayConfig]),
  );

async function wrong(file: string, problems: readonly (ConfigProblem | Finding)[]): Promise<Fault> {
  const lines = await spoken(
    file,
    problems.filter((it) => it.kind !== 'warning'),
  );
  return new Fault('invalid_params', lines.join('\n'), { data: { field: '--config' } });
}

/** A file that is gone by now has its mistakes in no line. */
async function spoken(file: string, problems: readonly (ConfigProblem | Finding)[]): Promise<readonly string[]> {
  if (problems.length === 0) return [];
  return sentencesOf(file, await readFile(file, 'utf8').catch(() => ''), problems);
}
