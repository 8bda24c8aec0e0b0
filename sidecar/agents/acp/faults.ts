import { Fault } from '../../platform/faults.ts';
import type { ProtectedResource } from '../provider.ts';
import type { AcpAgent } from './wellKnown.ts';
import type { AuthMethod, TerminalLogin } from './wire.ts';

/** `data` of an `auth_required` fault: enough to open a terminal with the agent's own sign-in. */
export interface AuthRequired {
  readonly agent: string;
  readonly methods: readonly { readonly id: string; readonly name: string; readonly description?: string }[];
  /** Absent where the agent names no command and none is known. */
  readonly terminal?: TerminalLogin;
  /** What it wants tokens for, where that is declared: the person signs in through the client. */
  readonly resources?: readonly ProtectedResource[];
}

const authRequiredCode = -32000;

export function commandMissing(agent: AcpAgent): Fault {
  const install =
    agent.install ?? `Install it, or correct the ${agent.displayName} command in the switchboard.agents setting.`;
  return new Fault(
    'command_missing',
    `${agent.displayName} could not be started: the command "${agent.command}" was not found. ${install}`,
    {
      data: { agent: agent.id, command: agent.command },
    },
  );
}

export function signInNeeded(agent: AcpAgent, methods: readonly AuthMethod[], cause: unknown): Fault {
  const resources = wantedOf(agent, methods);
  const terminal = resources.length > 0 ? undefined : loginOf(agent, methods);
  const variables = methods.flatMap((it) => (it.type === 'env_var' ? (it.vars ?? []) : [])).map((it) => it.name);
  const how =
    resources.length > 0
      ? `Sign in to ${resources.map((it) => it.resource_name ?? it.resource).join(', ')}, and then try again.`
      : terminal
        ? `Open a terminal and use the agent's own sign-in${terminal.label ? ` (${terminal.label})` : ''}, and then try again.`
        : variables.length > 0
          ? `Set ${variables.join(', ')} in the editor's environment, list the variable names under env in the switchboard.agents setting, and then try again.`
          : `Sign in through the agent itself${methods.length > 0 ? ` (${methods.map((it) => it.name).join(', ')})` : ''}, and then try again.`;
  const data: AuthRequired = {
    agent: agent.id,
    methods: methods.map(({ id, name, description }) => ({ id, name, ...(description && { description }) })),
    ...(terminal && { terminal }),
    ...(resources.length > 0 && { resources }),
  };
  return new Fault('auth_required', `${agent.displayName} needs you to sign in. ${how}`, { data, cause });
}

/** The code of the answer to a request of the agent that failed (Agent Client Protocol, error codes). */
export function agentErrorCode({ code }: Fault): number {
  if (code === 'not_found' || code === 'content_not_found') return -32002;
  return code === 'invalid_params' || code === 'forbidden' ? -32602 : -32603;
}

export function isAuthRequired(thrown: unknown): boolean {
  return typeof thrown === 'object' && thrown !== null && 'code' in thrown && thrown.code === authRequiredCode;
}

/** What the agent answered, as far as a person may see it: its own message, one line, no more. */
export function toAgentFault(agent: AcpAgent, thrown: unknown, clean: (text: string) => string): Fault {
  if (thrown instanceof Fault) return thrown;
  const firstLine = thrown instanceof Error ? clean(thrown.message).split('\n')[0]!.slice(0, 300) : '';
  return new Fault('unavailable', `${agent.displayName} reported an error${firstLine ? `: ${firstLine}` : '.'}`, {
    cause: thrown,
  });
}

/**
 * A sign-in method of the agent is one of ours only where it reads the very variable that we fill. An agent that names no
 * variables, and no other way that we could offer, means what it was declared with.
 */
function wantedOf(agent: AcpAgent, methods: readonly AuthMethod[]): ProtectedResource[] {
  const { protectedResources: declared = [] } = agent;
  const read = methods.flatMap((it) => (it.type === 'env_var' ? (it.vars ?? []) : [])).map((it) => it.name);
  const named = declared.filter((it) => read.includes(it.env));
  const isOnlyWay = read.length === 0 && loginOf(agent, methods) === undefined;
  return (named.length > 0 || !isOnlyWay ? named : declared).map((it) => it.metadata);
}

function loginOf(agent: AcpAgent, methods: readonly AuthMethod[]): TerminalLogin | undefined {
  for (const method of methods) {
    const given = method._meta?.['terminal-auth'];
    if (given) return given;
    if (method.type === 'terminal') {
      return { command: agent.command, args: [...agent.args, ...(method.args ?? [])], env: {}, label: method.name };
    }
  }
  return agent.login && { command: agent.login.command, args: [...agent.login.args], env: {} };
}
