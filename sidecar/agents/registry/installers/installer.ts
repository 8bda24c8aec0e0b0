import type { InstallPhase } from '../../../protocol/channels/root/agentRegistry.ts';
import type { Installed } from '../installedAgents.ts';
import type { ToolDeps } from './runTool.ts';

/** What is known before anything is installed. */
export interface Preview {
  readonly steps: readonly string[];
  /** From the folder; as in {@link Installed}. */
  readonly command: string;
  readonly source: string;
  readonly sizeBytes?: number;
  readonly hash?: string;
}

export interface InstallContext extends ToolDeps {
  /** Of the window that asks. */
  readonly env: Readonly<Record<string, string>>;
  /** Absolute: for what is needed while it is installed alone. It exists, and is taken away afterwards. */
  readonly work: string;
  readonly progress: (phase: InstallPhase, done?: number, total?: number) => void;
}

/** Fills a folder that has nothing in it. What is in there when it fails is taken away by whoever called. */
export type Arrived = Pick<Installed, 'command' | 'hash' | 'scripts'>;
