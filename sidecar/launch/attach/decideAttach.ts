import type { Build } from '../../protocol/hostInfo.ts';
import { compareBuilds } from './buildOrder.ts';
import type { RefusalReason } from './preamble.ts';

export interface AttachFacts {
  readonly host: Build;
  readonly peer: Build;
  readonly protocolsMeet: boolean;
  readonly isBusy: boolean;
  readonly isLeaving: boolean;
}
export interface AttachVerdict {
  readonly refuse?: RefusalReason;
  /** The host makes room for a newer build: now when it is idle, otherwise as soon as its turns are done. */
  readonly makeRoom: boolean;
}

/** Builds are in total order: a newer one waits until the older host is idle, an older one uses the newer host. */
export function decideAttach({ host, peer, protocolsMeet, isBusy, isLeaving }: AttachFacts): AttachVerdict {
  if (isLeaving) return { refuse: 'leaving', makeRoom: false };
  const makeRoom = compareBuilds(peer, host) > 0;
  if (makeRoom && !isBusy) return { refuse: 'leaving', makeRoom };
  if (protocolsMeet) return { makeRoom };
  return { refuse: makeRoom ? 'olderBusy' : 'versions', makeRoom };
}
