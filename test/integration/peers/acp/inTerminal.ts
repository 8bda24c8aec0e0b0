type Json = Record<string, unknown>;

interface Peer {
  readonly ask: (method: string, params: Json) => Promise<{ readonly result?: Json; readonly error?: object }>;
  readonly update: (body: Json) => void;
  readonly permitted: (toolCall: Json) => Promise<boolean>;
  readonly sessionId: string;
}

/** Asks whether it may run a command, and has its client run it in a terminal. Goes on where the client waits no more. */
export async function inTerminal(command: string, toolCallId: string, peer: Peer): Promise<string> {
  const { ask, update, permitted, sessionId } = peer;
  const toolCall = { toolCallId, title: 'Run it', kind: 'execute', rawInput: { command } };
  const changed = (more: Json) => update({ sessionUpdate: 'tool_call_update', toolCallId, ...more });
  update({ sessionUpdate: 'tool_call', ...toolCall, status: 'pending' });
  const created = (await permitted(toolCall)) ? await ask('terminal/create', { sessionId, command }) : undefined;
  const terminalId = created?.result?.['terminalId'];
  if (terminalId === undefined) {
    changed({ status: 'failed' });
    return 'end_turn';
  }
  changed({ status: 'in_progress', content: [{ type: 'terminal', terminalId }] });
  const { result } = await ask('terminal/wait_for_exit', { sessionId, terminalId });
  await ask('terminal/release', { sessionId, terminalId });
  changed({ status: result?.['exitCode'] === 0 || result?.['exitCode'] === null ? 'completed' : 'failed' });
  const text = `It ended with ${String(result?.['exitCode'])}.`;
  update({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } });
  return 'end_turn';
}
