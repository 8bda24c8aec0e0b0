import type { GatewayStore } from '../../../../sidecar/gateway/storage/store.ts';
import { type FilledBackends, fillBackends } from './backends.ts';
import { fillCalls } from './calls.ts';
import { fillEvents } from './events.ts';
import { type FilledPeople, fillPeople } from './people.ts';
import { type FillingPlan, fillingOf } from './plan.ts';

export interface Filled extends FilledPeople, FilledBackends {}

/**
 * Fills the database of a gateway with the records, calls, changes, and alerts of a company: `plan` says how many. Works on
 * SQLite and PostgreSQL, and on the store of a gateway that runs. Each record and line passes the gateway's own writes, so the
 * sums of days agree with the log. The same plan gives the same contents.
 */
export async function fillGateway(store: GatewayStore, plan: FillingPlan): Promise<Filled> {
  const filling = fillingOf(plan);
  const backends = await fillBackends(store, filling);
  const people = await fillPeople(store, filling, backends);
  await fillEvents(store, filling, people, backends);
  await fillCalls(store, filling, people, backends);
  return { ...people, ...backends };
}
