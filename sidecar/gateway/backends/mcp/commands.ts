import { realpathSync } from 'node:fs';
import { agentEnvironment } from '../../../platform/children/environment.ts';
import { findCommand } from '../../../platform/children/findCommand.ts';
import { fetchesLoosely } from '../../../platform/loosePackage.ts';
import { BackendFailure } from './failure.ts';
import { injectedCode } from './injectedCode.ts';
import type { McpTarget } from './types.ts';

/** Who may start what. Given by the configuration of the gateway, never by a caller. */
export interface StdioPolicy {
  /** False in a workspace that nobody trusts, and where the gateway serves a team without stdio servers. */
  readonly isTrusted: boolean;
  /** Commands that may run, as names or absolute paths; both are resolved before they are compared. */
  readonly allowedCommands: readonly string[];
  /** Packages are fetched by their exact versions alone, and no argument or variable runs other code than the program. */
  readonly wantsVersions?: boolean;
  /** The environment that the allowed variables are taken from. */
  readonly env: Readonly<Record<string, string | undefined>>;
}

/**
 * The file that a stdio server runs.
 *
 * @throws {BackendFailure} `not_allowed` where stdio is off, the command is not found, is not on the list, fetches what
 *   may be another program tomorrow, or is given other code to run (`security.stdio-injection`). Files are compared
 *   with links resolved, so a second file of the same name is another command
 */
export function resolveCommand(target: McpTarget, policy: StdioPolicy): string {
  if (!policy.isTrusted)
    throw refused(target, 'cannot be started because this workspace is not trusted. Trust its folder first');
  const found = target.command === undefined ? undefined : findCommand(target.command, policy.env);
  if (found === undefined)
    throw refused(target, 'has a command that was not found. Check that the program is installed and on the PATH');
  const real = realpathSync(found);
  const allowed = policy.allowedCommands.flatMap((it) => findCommand(it, policy.env) ?? []);
  if (!allowed.some((it) => realpathSync(it) === real))
    throw refused(target, 'has a command that is not allowed. Add it to the allowed commands if you trust it');
  if (policy.wantsVersions && fetchesLoosely(target.command, target.args))
    throw refused(
      target,
      'runs a package without an exact version. Specify the package as name@1.2.3, or as name==1.2.3 for Python',
    );
  const injected = policy.wantsVersions && injectedCode(target.command ?? '', target.args ?? [], target.env ?? {});
  if (injected)
    throw refused(
      target,
      `would run code other than the allowed program because of ${injected}. Move that code into a separate program`,
    );
  return found;
}

/** What the server's process sees: the plain variables, and those of its registration. Nothing of a request. */
export function stdioEnvironment(target: McpTarget, policy: StdioPolicy): Record<string, string> {
  return { ...agentEnvironment(policy.env, []), ...target.env };
}

const refused = ({ name }: McpTarget, why: string) =>
  new BackendFailure('not_allowed', `The MCP server '${name}' ${why}.`, {
    mayHaveRun: false,
  });
