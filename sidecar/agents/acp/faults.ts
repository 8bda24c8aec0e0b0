import { Fault } from '../../platform/faults.ts';
import type { AcpAgent } from './wellKnown.ts';
import type { AuthMethod, TerminalLogin } from './wire.ts';

/** `data` of an `auth_required` fault: enough to open a terminal with the agent's own sign-in. */
export interface AuthRequired {
  readonly agent: string;
  readonly methods: readonly { readonly id: string; readonly name: string; readonly description?: string }[];
  /** Absent where the agent names no command and none is known. */
  readonly terminal?: TerminalLogin;
}

const authRequiredCode = -32000;

export function commandMissing(agent: AcpAgent): Fault {
  const install =
    agent.install ?? `Install it, or correct the command of ${agent.displayName} in the setting switchboard.agents.`;
  return new Fault(
    'command_missing',
    `${agent.displayName} could not be started: the command “${agent.command}” was not found. ${install}`,
    {
      data: { agent: agent.id, command: agent.command },
    },
  );
}

export function signInNeeded(agent: AcpAgent, methods: readonly AuthMethod[], cause: unknown): Fault {
  const terminal = loginOf(agent, methods);
  const how = terminal
    ? `Open a terminal with its own sign-in${terminal.label ? ` (${terminal.label})` : ''}, then try again.`
    : `Sign in with the agent itself${methods.length > 0 ? ` (${methods.map((it) => it.name).join(', ')})` : ''}, then try again.`;
  const data: AuthRequired = {
    agent: agent.id,
    methods: methods.map(({ id, name, description }) => ({ id, name, ...(description && { description }) })),
    ...(terminal && { terminal }),
  };
  return new Fault('auth_required', `${agent.displayName} needs you to sign in. ${how}`, { data, cause });
}

export function isAuthRequired(thrown: unknown): boolean {
  return typeof thrown === 'object' && thrown !== null && 'code' in thrown && thrown.code === authRequiredCode;
}

/** What the agent answered, as far as a person may see it: its own message, one line, no more. */
export function toAgentFault(agent: AcpAgent, thrown: unknown, clean: (text: string) => string): Fault {
  if (thrown instanceof Fault) return thrown;
  const said = thrown instanceof Error ? clean(thrown.message).split('\n')[0]!.slice(0, 300) : '';
  return new Fault('unavailable', `${agent.displayName} reported an error${said ? `: ${said}` : '.'}`, {
    cause: thrown,
  });
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
