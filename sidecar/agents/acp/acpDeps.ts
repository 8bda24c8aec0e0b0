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
  /** For `session/close`, before its process ends. */
  readonly closeMs: number;
}

const defaults: AcpLimits = { openMs: 30_000, cancelMs: 4_000, configureMs: 10_000, closeMs: 1_000 };
export const acpLimits = ({ limits }: Pick<AcpDeps, 'limits'>): AcpLimits => ({ ...defaults, ...limits });
