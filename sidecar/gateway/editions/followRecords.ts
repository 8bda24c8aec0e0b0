import type { GatewayStore } from '../storage/store.ts';

export interface FollowRecordsDeps<T> {
  readonly changes: Pick<GatewayStore['changes'], 'listen'>;
  readonly kind: Parameters<Parameters<GatewayStore['changes']['listen']>[0]>[0];
  readonly read: () => Promise<T>;
  /** Called if a read after a change failed. */
  readonly failed: (thrown: unknown) => void;
}

/** Reports what is read of the records of one kind: now, and each time one is registered, changed, or removed. */
export async function followRecords<T>(
  { changes, kind, read, failed }: FollowRecordsDeps<T>,
  report: (now: T) => void,
): Promise<void> {
  let last = 0;
  const readAgain = async () => {
    last += 1;
    const own = last;
    const now = await read();
    if (own === last) report(now); // otherwise, a later read overtook it
  };
  changes.listen((changed) => {
    if (changed === kind) readAgain().catch(failed);
  });
  await readAgain();
}
