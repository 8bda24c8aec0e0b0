import type { Children } from '../../platform/children/children.ts';
import type { Runtime } from '../../platform/runtime.ts';

export interface AcpDeps extends Pick<Runtime, 'timers'> {
  readonly children: Children;
  readonly limits?: Partial<AcpLimits>;
}
export interface AcpLimits {
  /** For `initialize` and for opening the conversation, each. */
  readonly openMs: number;
  /** From a cancel to the end of the process. */
  readonly cancelMs: number;
  readonly configureMs: number;
}
