import { Fault } from '../../platform/faults.ts';
import type { GatewayConfig } from '../../protocol/gateway/config.ts';
import type { Beside } from '../storage/records.ts';
import { sealedNames } from '../storage/sealedValues.ts';
import type { GatewayStore } from '../storage/store.ts';
import { type Body, type Change, planSteps, readBody, recordsOf, type Step } from './plan.ts';
import type { Finding } from './problem.ts';
import type { SecretSources } from './secretSources.ts';
import { wantedRecords } from './wanted.ts';

export interface ApplyOptions {
  /** For the audit. */
  readonly actor: string;
  readonly sources: SecretSources;
  /** RFC 3339, UTC. */
  readonly now: () => string;
  readonly newId: () => string;
}
export type Applied =
  | { readonly changes: readonly Change[] }
  /** Not empty; nothing was written. */
  | { readonly findings: readonly Finding[] };

/** Another replica may bring its records in line at the same moment: then what is left is looked at again, so often in vain. */
const TRIES = 5;

/**
 * Brings the records in line with the file: new ones are made, changed ones updated, those that left the file removed. What
 * was registered otherwise is not touched. Where nothing changed nothing is written, so replicas with one file do not
 * fight. Secrets are looked up first: one that is missing stops all of it.
 * @throws {Fault} `unavailable` where the database does not answer
 */
export async function applyConfig(store: GatewayStore, config: GatewayConfig, options: ApplyOptions): Promise<Applied> {
  const { wanted, findings } = await wantedRecords(config, options.sources);
  if (findings.length > 0) return { findings };
  const changes: Change[] = [];
  let least = Number.POSITIVE_INFINITY;
  for (let tries = 1; ; tries += 1) {
    const plan = await planSteps(store, wanted);
    if (plan.findings.length > 0) return { findings: plan.findings };
    // Replicas may overtake each other at every record: that is no try in vain while less and less is left.
    if (plan.steps.length < least) [least, tries] = [plan.steps.length, 1];
    try {
      for (const step of plan.steps) {
        await take(store, step, options);
        changes.push({ kind: step.kind, id: step.id, action: step.action });
      }
      return { changes };
    } catch (thrown) {
      const isOvertaken = thrown instanceof Fault && (thrown.code === 'already_exists' || thrown.code === 'not_found');
      if (!isOvertaken || tries === TRIES) throw thrown;
    }
  }
}

async function take(store: GatewayStore, step: Step, { actor, now, newId }: ApplyOptions): Promise<void> {
  const { kind, id, action, wanted } = step;
  const records = recordsOf(store, kind);
  const at = now();
  let after: Body | undefined;
  if (!wanted) {
    await records.remove(id, (transaction) => store.secrets.within(transaction).remove(kind, id));
  } else {
    // In one step with the record: whoever is notified of it reads both, and one who was faster keeps their own.
    const seal: Beside = async (transaction) => {
      const secrets = store.secrets.within(transaction);
      for (const name of Object.values(sealedNames)) {
        const value = wanted.sealed[name];
        if (value) await secrets.put(kind, id, name, JSON.stringify(value));
        else await secrets.remove(kind, id, name);
      }
    };
    const stamped = (created: Body): Body => ({
      ...readBody(kind, wanted.body),
      created_at: created['created_at'] ?? at,
      created_by: created['created_by'] ?? actor,
      updated_at: at,
      updated_by: actor,
    });
    if (action === 'created') await records.insert((after = stamped({})), seal);
    else after = await records.update(id, stamped, seal);
  }
  const text = (body: Body | undefined) => (body ? JSON.stringify(body) : null);
  await store.audit.add({
    id: newId(),
    at,
    actor,
    action,
    kind,
    object_id: id,
    before: text(step.before),
    after: text(after),
  });
}
