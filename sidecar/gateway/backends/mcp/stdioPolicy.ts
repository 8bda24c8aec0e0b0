import { Fault } from '../../../platform/faults.ts';
import type { McpServerRecord } from '../../../protocol/gateway/mcpServer.ts';
import { resolveCommand, type StdioPolicy } from './commands.ts';
import { BackendFailure } from './failure.ts';

export interface StdioOptions {
  readonly stdio: Pick<StdioPolicy, 'isTrusted' | 'allowedCommands'> & Partial<Pick<StdioPolicy, 'wantsVersions'>>;
  readonly env: StdioPolicy['env'];
}

/** Read anew each time: a person may trust a folder while the gateway runs. */
export const stdioPolicy = ({ stdio, env }: StdioOptions): StdioPolicy => ({
  get isTrusted() {
    return stdio.isTrusted;
  },
  get allowedCommands() {
    return stdio.allowedCommands;
  },
  wantsVersions: stdio.wantsVersions ?? false,
  env,
});

/** @throws {Fault} `forbidden` naming `command`, for a program that no stdio server may run here */
export function checkCommand(server: McpServerRecord, policy: StdioPolicy): void {
  if (server.transport !== 'stdio') return;
  try {
    const { server_id, command, args, env } = server;
    const name = server.alias || server.server_name || server_id;
    const limits = { timeoutMs: 0, maxResponseBytes: 0 };
    resolveCommand(
      {
        server_id,
        name,
        transport: 'stdio',
        ...limits,
        ...(command && { command }),
        ...(args && { args }),
        ...(env && { env }),
      },
      policy,
    );
  } catch (thrown) {
    if (!(thrown instanceof BackendFailure)) throw thrown;
    throw new Fault('forbidden', thrown.message, { data: { field: 'command' } });
  }
}
