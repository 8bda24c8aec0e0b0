import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import * as z from 'zod';
import { listen } from './listen.ts';

/** The service's own key. */
export const cloudCredential = 'service-key-of-the-account';

interface Agent {
  readonly id: string;
  name: string;
  status: string;
  readonly source: { readonly repository: string; readonly ref?: string | undefined };
  readonly target: { branchName?: string; url: string; prUrl?: string; autoCreatePr: boolean };
  summary?: string;
  readonly createdAt: string;
  readonly messages: { id: string; type: 'user_message' | 'assistant_message'; text: string }[];
  isStopped?: boolean;
}
export interface HeardByCloud {
  readonly what: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: unknown;
}

const Prompt = z.object({ prompt: z.object({ text: z.string() }) });
const Launched = Prompt.extend({
  source: z.object({ repository: z.string(), ref: z.string().optional() }),
  target: z.object({ autoCreatePr: z.boolean() }),
});

/**
 * A cloud-agents service, version 0 of its API, over HTTP. An agent ends when its state is read for the second time: `break` fails,
 * and a prompt that contains `slow` waits until {@link CloudServiceUnderTest.go}.
 */
export interface CloudServiceUnderTest {
  readonly url: string;
  readonly heard: HeardByCloud[];
  readonly agents: Map<string, Agent>;
  /** How many of the next requests are refused, and how. */
  refuse(count: number, status: number, headers?: Readonly<Record<string, string>>): void;
  /** Lets the slow agents go on. */
  go(): void;
  /** An agent that somebody else launched, and that has finished. */
  addFinished(id: string, prompt: string, answer: string): void;
  close(): Promise<void>;
}

export async function startCloudService(): Promise<CloudServiceUnderTest> {
  const heard: HeardByCloud[] = [];
  const agents = new Map<string, Agent>();
  const refusals: { status: number; headers: Readonly<Record<string, string>> }[] = [];
  let isHeld = true;
  let count = 0;
  const newMessage = (agent: Agent, type: Agent['messages'][number]['type'], text: string) => {
    count += 1;
    agent.messages.push({ id: `msg_${count}`, type, text });
  };
  function newAgent(id: string, source: Agent['source'], autoCreatePr: boolean): Agent {
    const target = { url: `https://cloud.example/agents/${id}`, autoCreatePr, branchName: `agent/${id}` };
    const createdAt = '2026-01-01T00:00:00Z';
    const agent: Agent = { id, name: `Agent ${id}`, status: 'CREATING', source, target, createdAt, messages: [] };
    agents.set(id, agent);
    return agent;
  }
  /** What happens between two looks at an agent. */
  function advance(agent: Agent): void {
    const prompt = agent.messages.findLast((it) => it.type === 'user_message')?.text ?? '';
    if (agent.status === 'CREATING') {
      agent.status = 'RUNNING';
      if (prompt.includes('slow')) newMessage(agent, 'assistant_message', 'I have begun.');
      return;
    }
    if (agent.status !== 'RUNNING' || (prompt.includes('slow') && isHeld)) return;
    agent.status = prompt === 'break' ? 'ERROR' : 'FINISHED';
    if (prompt === 'break') agent.summary = 'The tests did not start.';
    else newMessage(agent, 'assistant_message', `I did: ${prompt}`);
    if (agent.target.autoCreatePr) agent.target.prUrl = 'https://git.example/owner/name/pull/12';
  }
  const shown = ({ messages: _messages, isStopped: _isStopped, ...agent }: Agent) => agent;

  function answer(method: string, path: string, body: unknown): readonly [status: number, body: object] {
    const [, id, action = ''] = /^\/v0\/agents(?:\/([^/]+)(?:\/(\w+))?)?$/.exec(path) ?? [];
    if (id === undefined) {
      if (method === 'GET') return [200, { agents: [...agents.values()].map(shown) }];
      const { prompt, source, target } = Launched.parse(body);
      const agent = newAgent(`bc_${agents.size + 1}`, source, target.autoCreatePr);
      newMessage(agent, 'user_message', prompt.text);
      return [201, shown(agent)];
    }
    const agent = agents.get(decodeURIComponent(id));
    if (!agent) return [404, { error: { message: 'No agent has this ID.' } }];
    switch (`${method} ${action}`) {
      case 'GET ':
        advance(agent);
        return [200, shown(agent)];
      case 'GET conversation':
        return [200, { id, messages: agent.messages }];
      case 'POST followup':
        if (agent.isStopped) return [409, { error: { message: 'A stopped agent cannot be resumed.' } }];
        newMessage(agent, 'user_message', Prompt.parse(body).prompt.text);
        agent.status = 'CREATING';
        return [200, { id }];
      case 'POST stop':
        agent.isStopped = true;
        agent.status = 'FINISHED';
        return [200, { id }];
      case 'DELETE ':
        agents.delete(agent.id);
        return [200, { id }];
      default:
        return [404, { error: { message: 'Not found.' } }];
    }
  }

  const server = createServer((request, response: ServerResponse) => {
    const chunks: Buffer[] = [];
    request
      .on('data', (chunk: Buffer) => void chunks.push(chunk))
      .on('end', () => {
        const text = Buffer.concat(chunks).toString();
        const body: unknown = text === '' ? undefined : JSON.parse(text);
        const { method = '', url = '', headers } = request;
        const [path = ''] = url.split('?', 1);
        heard.push({ what: `${method} ${path}`, headers, body });
        const refused = refusals.shift();
        const isKnown = headers.authorization === `Basic ${btoa(`${cloudCredential}:`)}`;
        const refusal = { error: { message: isKnown ? 'Not now.' : 'The API key is not valid.' } };
        const [status, answered] = refused || !isKnown ? [refused?.status ?? 401, refusal] : answer(method, path, body);
        response
          .writeHead(status, { 'content-type': 'application/json', ...refused?.headers })
          .end(JSON.stringify(answered));
      });
  });
  const listening = await listen(server);
  return {
    url: listening.url,
    heard,
    agents,
    refuse(times, status, headers = {}) {
      for (let at = 0; at < times; at += 1) refusals.push({ status, headers });
    },
    go() {
      isHeld = false;
    },
    addFinished(id, prompt, words) {
      const agent = newAgent(id, { repository: 'https://git.example/owner/other', ref: 'main' }, false);
      newMessage(agent, 'user_message', prompt);
      newMessage(agent, 'assistant_message', words);
      agent.status = 'FINISHED';
    },
    close: () => listening.close(),
  };
}
