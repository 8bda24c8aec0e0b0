import type { TokenCommand } from '../command/commandLine.ts';
import { type ExitCode, exitCodes } from '../failure.ts';
import type { RoleContext } from '../runSidecar.ts';
import { clientTokensFile, createClientToken, readClientTokens, revokeClientToken } from './clientTokens.ts';

/** `serve token`: a token for each client. A new one is printed once, and nothing else that is printed is secret. */
export async function tokenRole(context: RoleContext, { does, name }: TokenCommand): Promise<ExitCode> {
  const { dataDir, process } = context;
  const path = clientTokensFile(dataDir);
  switch (does) {
    case 'create':
      process.stdout.write(`${createClientToken(path, name, context)}\n`);
      return exitCodes.ok;
    case 'list': {
      const shown = readClientTokens(path).map(({ id, name: called, createdAt }) => ({ id, name: called, createdAt }));
      process.stdout.write(`${JSON.stringify(shown, undefined, 2)}\n`);
      return exitCodes.ok;
    }
    case 'revoke':
      revokeClientToken(path, name, context);
      return exitCodes.ok;
  }
}
