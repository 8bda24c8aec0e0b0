import { Readable, Writable } from 'node:stream';
import {
  agent,
  type CreateElicitationRequest,
  methods,
  ndJsonStream,
  type SessionUpdate,
} from '@agentclientprotocol/sdk';

/**
 * An agent on the SDK, whose router judges what the client sends by the schema of the protocol. A prompt is the JSON of a form; it
 * answers what the client said about forms, and what the person entered. A prompt `{"updates":[…]}` has it send those.
 */
interface Prompt {
  readonly updates?: readonly SessionUpdate[];
}
let declared: unknown;
agent({ name: 'sdk-agent' })
  .onRequest(methods.agent.initialize, ({ params }) => {
    declared = params.clientCapabilities;
    return { protocolVersion: 1, agentCapabilities: {}, agentInfo: { name: 'sdk-agent', version: '1.2.3' } };
  })
  .onRequest(methods.agent.session.new, () => ({ sessionId: 's' }))
  .onNotification(methods.agent.session.cancel, () => undefined)
  .onRequest(methods.agent.session.prompt, async ({ params: { sessionId, prompt }, client }) => {
    const { updates, ...form } = JSON.parse(prompt[0]?.type === 'text' ? prompt[0].text : '{}') as Prompt;
    for (const update of updates ?? []) await client.notify(methods.client.session.update, { sessionId, update });
    if (updates) return { stopReason: 'end_turn' };
    const answer = await client
      .request(methods.client.elicitation.create, { sessionId, mode: 'form', ...form } as CreateElicitationRequest)
      .catch((thrown: unknown) => ({ error: String(thrown) }));
    const text = JSON.stringify({ declared, answer });
    await client.notify(methods.client.session.update, {
      sessionId,
      update: { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } },
    });
    return { stopReason: 'end_turn' };
  })
  .connect(
    ndJsonStream(
      Writable.toWeb(process.stdout) as WritableStream<Uint8Array>,
      Readable.toWeb(process.stdin) as ReadableStream<Uint8Array>,
    ),
  );
