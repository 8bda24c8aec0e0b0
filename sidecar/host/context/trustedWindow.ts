import { Fault } from '../../platform/faults.ts';
import type { WindowInfo } from '../../protocol/window.ts';
import type { Requester } from './effectDeps.ts';

/** The window for which Git runs. @throws {Fault} `not_trusted` */
export function trustedWindow({ window }: Requester): WindowInfo {
  if (window?.trusted !== true) throw new Fault('not_trusted', 'Trust this folder to run Git in it.');
  return window;
}
