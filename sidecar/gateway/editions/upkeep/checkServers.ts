import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';
import type { CheckedPart, CheckOptions } from '../../../launch/gateway/upkeepContract.ts';
import type { GatewayConfig } from '../../../protocol/gateway/config.ts';

const TIMEOUT_MS = 5_000;
type Deadline = NonNullable<CheckOptions['deadline']>;
type Server = GatewayConfig['mcp_servers'][string];

/**
 * Whether the servers of a configuration can be reached: an address answers HTTP, whatever it says, and a program is there and may
 * run. No credential is sent, and no program is started.
 */
export async function checkServers(
  config: GatewayConfig,
  { path, folder, deadline }: { readonly path: string; readonly folder: string; readonly deadline: Deadline },
): Promise<readonly CheckedPart[]> {
  const { mcp_servers: servers, stdio } = config;
  return Promise.all(
    Object.entries(servers).map(async ([name, server]): Promise<CheckedPart> => {
      const problem =
        server.transport === 'stdio'
          ? programProblem(server, stdio.allowed_commands, path)
          : await apiProblem(server, folder, deadline(TIMEOUT_MS));
      const part = `server ${name}`;
      return problem === undefined
        ? { part, state: 'ok', message: goodWords(server) }
        : { part, state: 'failed', message: problem };
    }),
  );
}

function goodWords({ transport, url, spec_path }: Server): string {
  if (transport === 'stdio') return 'The program is installed.';
  return spec_path && !url && !/^https?:/i.test(spec_path) ? 'The OpenAPI document was found.' : 'The server responds.';
}

function programProblem({ command }: Server, allowed: readonly string[], path: string): string | undefined {
  if (!command) return 'It has no command.';
  if (!allowed.includes(command)) return `"${command}" is not listed in stdio.allowed_commands.`;
  const places = isAbsolute(command) ? [command] : path.split(delimiter).flatMap((it) => names(join(it, command)));
  return places.some(isProgram) ? undefined : `"${command}" was not found. Install it, or extend PATH.`;
}

/** Windows finds programs by these endings, too. */
const names = (file: string) => (process.platform === 'win32' ? [file, `${file}.exe`, `${file}.cmd`] : [file]);

const isFile = (file: string) => statSync(file, { throwIfNoEntry: false })?.isFile() === true;

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return isFile(file);
  } catch {
    return false; // it is not there, or is no program for us
  }
}

/** The document of an OpenAPI service has to be there, and the address that calls go to, if one is registered. */
async function apiProblem(
  { url, spec_path }: Server,
  folder: string,
  signal: AbortSignal,
): Promise<string | undefined> {
  const isAddress = /^https?:/i.test(spec_path ?? '');
  if (spec_path && !isAddress && !isFile(isAbsolute(spec_path) ? spec_path : join(folder, spec_path)))
    return 'The file of its OpenAPI document was not found.';
  for (const address of [isAddress ? spec_path : undefined, url]) {
    const problem = address ? await addressProblem(address, signal) : undefined;
    if (problem !== undefined) return problem;
  }
  return undefined;
}

async function addressProblem(url: string, signal: AbortSignal): Promise<string | undefined> {
  try {
    const response = await fetch(url, {
      headers: { accept: 'text/event-stream' },
      redirect: 'manual',
      signal,
    });
    await response.body?.cancel();
    return response.status >= 500 ? `The server responds with status ${response.status}.` : undefined;
  } catch (thrown) {
    const cause = thrown instanceof Error && thrown.cause instanceof Error ? thrown.cause : thrown;
    const code = cause instanceof Error && 'code' in cause ? ` (${String(cause.code)})` : '';
    const isLate = cause instanceof Error && cause.name === 'TimeoutError';
    return isLate ? 'The server does not respond within 5 seconds.' : `The server cannot be reached${code}.`;
  }
}
