import type { Runtime } from '../../platform/runtime.ts';
import type { ExitCode } from '../failure.ts';
import type { GatewayRoles } from '../gateway/gatewayContract.ts';
import type { AskedCommand } from './readCommand.ts';

/** Where a command works. */
export interface CommandContext extends Omit<Runtime, 'log'> {
  readonly process: Pick<NodeJS.Process, 'env' | 'stdin' | 'stderr' | 'platform' | 'cwd'>;
  /** Of this build. */
  readonly version: string;
  readonly loadGateway: () => Promise<GatewayRoles>;
  /** Makes the data directory where it is missing. @throws {LaunchFailure} `badFolder` */
  dataDir(): string;
}

export interface CommandResult {
  /** For a person. Ends with the end of a line. */
  readonly text: string;
  /** The same, for `--json`. */
  readonly data: Readonly<Record<string, unknown>>;
  /** Default: `ok`. */
  readonly exitCode?: ExitCode;
}

/** @throws {LaunchFailure} and {@link Fault}, as sentences for the person */
export type CommandRun = (asked: AskedCommand, context: CommandContext) => Promise<CommandResult>;
