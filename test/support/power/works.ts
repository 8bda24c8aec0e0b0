import { join } from 'node:path';
import { projectRoot } from '../cache.ts';
import type { Work } from './cuts.ts';
import { readGateway, readHost } from './readBack.ts';

export type WorkName = 'full' | 'normal' | 'gateway';

/** What the product's stores do until the power is cut. @param turns of the host's chat @param steps of the gateway */
export function worksOf(turns: number, steps: number): Readonly<Record<WorkName, Work>> {
  const child = (name: string) => join(projectRoot, 'test', 'power', name);
  const host = (durability: 'normal' | 'full', grace: number): Work => ({
    name: `host, ${durability}`,
    child: child('hostWork.child.ts'),
    args: [durability, `${turns}`],
    acknowledged: { ack: { last: 30 * turns, grace } },
    readBack: readHost,
  });
  return {
    full: host('full', 0),
    normal: host('normal', 1),
    gateway: {
      name: 'gateway',
      child: child('gatewayWork.child.ts'),
      args: [`${steps}`],
      acknowledged: { ack: { last: steps, grace: 0 }, soon: { last: steps, grace: 1 } },
      readBack: readGateway,
    },
  };
}

/** What each test of a power cut says that it does not take. */
export const promises: readonly (readonly [WorkName, string])[] = [
  ['full', 'nothing that the host acknowledged with full durability'],
  ['normal', 'nothing that the host acknowledged a second before with normal durability'],
  ['gateway', 'no record and no call that the gateway wrote, and no owner of a context that is older than a second'],
];
