import type { OfferedModel } from '../../launch/gateway/gatewayContract.ts';
import type { Log } from '../../platform/logger.ts';
import type { Gateway } from '../options.ts';
import { followRecords } from './followRecords.ts';

export interface FollowModelsDeps {
  readonly gateway: Pick<Gateway, 'allModels'> & { readonly store: Pick<Gateway['store'], 'changes'> };
  readonly log: Pick<Log, 'warn'>;
  /** A key without permissions of its own, as sessions have, can use every model. */
  readonly isOpenToAll: boolean;
}

/** Reports the models that sessions can call: now, and each time a model is registered, changed, or removed. */
export async function followModels(
  { gateway, log, isOpenToAll }: FollowModelsDeps,
  report: (models: readonly OfferedModel[]) => void,
): Promise<void> {
  if (!isOpenToAll) return report([]);
  const { changes } = gateway.store;
  const read = () => gateway.allModels();
  const failed = (thrown: unknown) => log.warn({ thrown }, 'the registered models could not be read');
  await followRecords({ changes, kind: 'model', read, failed }, report);
}
