import { setTimeout as wait } from 'node:timers/promises';
import { startGateway } from '../gateway/benchGateway.ts';
import { benchConfig, callersOf } from '../gateway/callers.ts';
import { startChild } from '../gateway/child.ts';
import { connect } from '../gateway/mcpClient.ts';
import { residentMb } from '../gateway/processFigures.ts';
import type { CallFigures, CallsOrder } from '../gateway/target.ts';
import type { Row } from '../measure.ts';

const FIRST = 10_000;
const ALL = 100_000;
const ABANDONED = 1_000;
const AT_A_TIME = 16;
/** Until records are written and garbage of the last calls was collected. */
const SETTLED_MS = 3_000;

/** Whether the gateway grows with the calls that it served, and with sessions that nobody ended. */
export async function gatewayMemory(): Promise<readonly Row[]> {
  const backend = await startChild('backend');
  const client = await startChild('client');
  const gateway = await startGateway(benchConfig(backend.url));
  try {
    const target = (await callersOf(gateway)).find((it) => it.name.includes('full resolution'));
    if (!target) throw new Error('nobody calls with full resolution');
    const serve = (calls: number) =>
      client.ask<CallFigures>({ target, concurrency: AT_A_TIME, calls } satisfies CallsOrder);
    await serve(FIRST);
    await wait(SETTLED_MS);
    const before = residentMb(gateway.pid);
    await serve(ALL - FIRST);
    let left = ABANDONED;
    const abandon = async () => {
      while ((left -= 1) >= 0) await (await connect(target)).call();
    };
    await Promise.all(Array.from({ length: AT_A_TIME }, abandon));
    await wait(SETTLED_MS);
    const after = residentMb(gateway.pid);
    return [
      {
        name: `memory of the gateway after ${ALL} calls and ${ABANDONED} abandoned sessions, against after ${FIRST} calls`,
        value: after / before,
        limit: 1.1,
        unit: 'ratio',
        detail: `${after.toFixed(0)} MB against ${before.toFixed(0)} MB resident`,
      },
    ];
  } finally {
    await gateway.close();
    await client.close();
    await backend.close();
  }
}
