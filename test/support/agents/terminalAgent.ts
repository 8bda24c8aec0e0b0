import { acpProvider } from '../../../sidecar/agents/acp/provider.ts';
import type { AgentProvider } from '../../../sidecar/agents/provider.ts';
import type { Children } from '../../../sidecar/platform/children/children.ts';
import { systemTimers } from '../../../sidecar/platform/timers.ts';
import { until } from '../until.ts';
import { MemoryAgent, memoryAcpAgent } from './memoryAgent.ts';

type Json = Record<string, unknown>;

/** An agent in this process that has its commands run by its client. In a turn it does what the test says. */
export class TerminalAgent {
  readonly memory = new MemoryAgent();
  readonly provider: AgentProvider;

  constructor() {
    const children = { spawn: async () => this.memory.child } as unknown as Children;
    this.provider = acpProvider(memoryAcpAgent, { timers: systemTimers, children });
  }

  /** What it does with the next prompt. */
  does(work: () => Promise<unknown>): void {
    this.memory.answers['session/prompt'] = async () => {
      await work();
      return { stopReason: 'end_turn' };
    };
  }

  /** @returns what it was answered; rejects with the words of an error */
  async ask(method: string, params: Json): Promise<Json> {
    const id = this.memory.ask(method, { sessionId: 'fresh', ...params });
    await until(`${method} is answered`, () => this.memory.answered.has(id));
    const { result, error } = this.memory.answered.get(id) as { result?: Json; error?: { message: string } };
    if (error) throw new Error(error.message);
    return result ?? {};
  }

  /** @returns the id of its terminal */
  async create(command: string, more: Json = {}): Promise<string> {
    return String((await this.ask('terminal/create', { command, ...more }))['terminalId']);
  }

  /** Runs a command to its end, and lets go of it. @returns what it printed */
  async run(command: string, more: Json = {}): Promise<string> {
    const terminalId = await this.create(command, more);
    await this.ask('terminal/wait_for_exit', { terminalId });
    const { output } = await this.ask('terminal/output', { terminalId });
    await this.ask('terminal/release', { terminalId });
    return String(output);
  }

  call(toolCallId: string, more: Json): void {
    this.memory.update({ sessionUpdate: 'tool_call_update', toolCallId, ...more });
  }

  /** Says that it is about to run a command, and asks whether it may. */
  async permission(toolCallId: string, command: string): Promise<void> {
    const toolCall = { toolCallId, title: 'Run something', kind: 'execute', rawInput: { command } };
    this.memory.update({ sessionUpdate: 'tool_call', ...toolCall, status: 'pending' });
    const options = [
      { optionId: 'go', name: 'Yes', kind: 'allow_once' },
      { optionId: 'no', name: 'No', kind: 'reject_once' },
    ];
    await this.ask('session/request_permission', { toolCall, options });
  }
}
