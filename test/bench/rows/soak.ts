import { startGateway } from '../gateway/benchGateway.ts';
import { benchConfig, callersOf } from '../gateway/callers.ts';
import { startChild } from '../gateway/child.ts';
import { residentMb } from '../gateway/processFigures.ts';
import type { CallsOrder } from '../gateway/target.ts';
import type { Row } from '../measure.ts';

const FIRST = 10_000;
const ALL = 100_000;
const ABANDONED = 1_000;
const AT_ONCE = 16;

/** Many calls and sessions that nobody ends: the gateway may not grow with them. */
export async function soak(): Promise<readonly Row[]> {
  const backend = await startChild('backend');
  const client = await startChild('client');
  const gateway = await startGateway(benchConfig(backend.url));
  try {
    const [, , target] = await callersOf(gateway);
    if (!target) throw new Error('there is no caller');
    const call = (calls: number) => client.ask({ target, concurrency: AT_ONCE, calls } satisfies CallsOrder);
    await call(FIRST);
    const before = residentMb(gateway.pid);
    for (let count = 0; count < ABANDONED; count += 1) {
      const session: CallsOrder = { target: { ...target, name: `abandoned ${count}` }, concurrency: 1, calls: 1 };
      await client.ask(session);
      if (count % 10 === 0) await call((10 * (ALL - FIRST - ABANDONED)) / ABANDONED);
    }
    const after = residentMb(gateway.pid);
    return [
      {
        name: `resident memory after ${ALL} calls and ${ABANDONED} abandoned sessions, against after ${FIRST} calls`,
        value: after / before,
        limit: 1.1,
        unit: 'ratio',
        detail: `${after.toFixed(0)} MB against ${before.toFixed(0)} MB`,
      },
    ];
  } finally {
    await client.close();
    await gateway.close();
    await backend.close();
  }
}
