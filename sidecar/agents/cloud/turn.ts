import { Fault } from '../../platform/faults.ts';
import type { Timers } from '../../platform/timers.ts';
import { toParts } from '../a2a/prompt.ts';
import type { SessionFiles, TurnEvent, TurnHost, TurnRequest } from '../provider.ts';
import { askDeletion, askLaunch, askWhich } from './asking.ts';
import { type CloudClient, Temporary } from './client.ts';
import type { CloudConversation } from './conversation.ts';
import { type CloudImage, MOST_IMAGES, toImage } from './images.ts';
import { type CloudAgent, type CloudMessage, type CloudPrompt, isWorking } from './wire.ts';
import { endedWords, launchedWords } from './words.ts';

/** How long the service may take to confirm that the agent is stopped. */
const STOP_MS = 3_000;
/** Delays between requests for the state of the agent. The last one repeats. A change starts again from the first. */
const POLL_MS = [500, 1_000, 2_000, 5_000, 10_000, 15_000] as const;
/** How often the state before a follow-up is ignored. After that, the agent has nothing to add. */
const MOST_OLD = 6;
/** How many requests in a row may fail. */
const MOST_FAILURES = 6;

export interface CloudTurnDeps {
  readonly client: CloudClient;
  /** Of the service, for messages. */
  readonly name: string;
  readonly conversation: CloudConversation;
  readonly folder: string | undefined;
  readonly files: SessionFiles;
  readonly timers: Pick<Timers, 'wait'>;
  readonly request: TurnRequest;
  readonly host: Pick<TurnHost, 'ask'>;
  /** Aborted if the user stops the turn. That stops the agent. */
  readonly signal: AbortSignal;
  /** Aborted if the host stops. The agent continues, and the next turn shows what it did. */
  readonly leaves: AbortSignal;
}

/** One turn: a message that launches an agent or follows up, or a command, and what the agent does until it rests. */
export class CloudTurn {
  readonly #deps: CloudTurnDeps;
  readonly #signal: AbortSignal;
  #isFollowing = false;
  #isSilent = true;

  constructor(deps: CloudTurnDeps) {
    this.#deps = deps;
    this.#signal = AbortSignal.any([deps.signal, deps.leaves]);
  }

  async *events(): AsyncGenerator<TurnEvent, void> {
    const { request, signal } = this.#deps;
    try {
      switch (request.text.trim()) {
        case '/agents':
          return yield* this.#open();
        case '/refresh':
          return yield* this.#refresh();
        case '/delete':
          return yield* this.#delete();
        default:
          return yield* this.#send();
      }
    } catch (thrown) {
      if (!this.#signal.aborted) throw thrown;
    } finally {
      if (signal.aborted && this.#isFollowing) await this.#stop();
    }
  }

  async *#send(): AsyncGenerator<TurnEvent, void> {
    const { client, conversation } = this.#deps;
    const prompt = await this.#prompt();
    const { agentId } = conversation;
    if (agentId === undefined) return yield* this.#launch(prompt);
    yield* this.#look(agentId); // what it did since the last turn
    conversation.sends(prompt.text);
    this.#isFollowing = true;
    await client.followUp(agentId, prompt, this.#signal);
    yield* this.#follow(agentId, true);
  }

  async *#launch(prompt: CloudPrompt): AsyncGenerator<TurnEvent, void> {
    const { client, conversation, request } = this.#deps;
    const chosen = await askLaunch(this.#deps);
    if (!chosen) {
      yield { kind: 'notice', markdown: 'No cloud agent was launched.' };
      return;
    }
    conversation.sends(prompt.text);
    const agent = await client.launch({ ...chosen, prompt }, request.turnId, this.#signal);
    conversation.follow(agent);
    this.#isFollowing = true;
    yield { kind: 'notice', markdown: launchedWords(agent) };
    yield* this.#follow(agent.id, false);
  }

  /** Attached files are part of the text, because the service accepts only images besides. */
  async #prompt(): Promise<CloudPrompt> {
    const { request, files, name } = this.#deps;
    const texts: string[] = [];
    const images: CloudImage[] = [];
    for (const it of await toParts(request, files)) {
      const image = it.kind === 'bytes' ? toImage(it.base64) : undefined;
      if (it.kind === 'text') texts.push(it.text);
      else if (image) images.push(image);
      else
        throw new Fault(
          'invalid_params',
          `${name} accepts only text and images. Remove the other attachments, and then try again.`,
        );
    }
    if (images.length > MOST_IMAGES)
      throw new Fault(
        'invalid_params',
        `${name} accepts at most ${MOST_IMAGES} images with a message. Remove some, and then try again.`,
      );
    return { text: texts.join('\n'), images };
  }

  /** Continues an agent of the account, which another program may have launched. */
  async *#open(): AsyncGenerator<TurnEvent, void> {
    const { client, conversation, host, request } = this.#deps;
    const agents = await client.list(this.#signal);
    if (agents.length === 0) {
      yield { kind: 'notice', markdown: 'The account has no cloud agents.' };
      return;
    }
    const agent = await askWhich(host, request.turnId, agents);
    if (!agent) return;
    conversation.follow(agent);
    yield* this.#follow(agent.id, false);
  }

  async *#refresh(): AsyncGenerator<TurnEvent, void> {
    const { agentId } = this.#deps.conversation;
    if (agentId === undefined) yield noAgent;
    else yield* this.#follow(agentId, false);
  }

  async *#delete(): AsyncGenerator<TurnEvent, void> {
    const { client, conversation, host, request } = this.#deps;
    const { agentId } = conversation;
    if (agentId === undefined) {
      yield noAgent;
      return;
    }
    if (!(await askDeletion(host, request.turnId))) return;
    await client.delete(agentId, this.#signal);
    conversation.forget();
    yield {
      kind: 'notice',
      markdown: 'The cloud agent was deleted. The next message launches another one.',
    };
  }

  /** @param isFollowUp the agent may still have the state that it had before the message */
  async *#follow(agentId: string, isFollowUp: boolean): AsyncGenerator<TurnEvent, void> {
    let isOld = isFollowUp;
    let status: string | undefined;
    let delay = 0;
    for (let count = 0; ; count += 1) {
      const { agent, hasSpoken } = yield* this.#patiently(agentId);
      this.#isFollowing = isWorking(agent) || isOld;
      if (isWorking(agent) || hasSpoken) isOld = false;
      if (!isWorking(agent) && (!isOld || count >= MOST_OLD)) {
        this.#isFollowing = false;
        return yield* this.#end(agent);
      }
      delay = hasSpoken || agent.status !== status ? 0 : delay + 1;
      status = agent.status;
      await this.#deps.timers.wait(POLL_MS[delay] ?? POLL_MS.at(-1)!, this.#signal);
    }
  }

  /** A service that is not reachable for a moment does not end the turn. */
  async *#patiently(agentId: string): AsyncGenerator<TurnEvent, Looked> {
    for (let failures = 0; ; failures += 1) {
      try {
        return yield* this.#look(agentId);
      } catch (thrown) {
        if (!(thrown instanceof Temporary) || failures + 1 >= MOST_FAILURES || this.#signal.aborted) throw thrown;
        const delay = POLL_MS[failures] ?? POLL_MS.at(-1)!;
        await this.#deps.timers.wait(Math.max(delay, thrown.retryAfterMs), this.#signal);
      }
    }
  }

  /** Reads the state first, so that the conversation contains everything that the agent said before it reached that state. */
  async *#look(agentId: string): AsyncGenerator<TurnEvent, Looked> {
    const { client, conversation } = this.#deps;
    const agent = await client.agent(agentId, this.#signal);
    const messages = await client.messages(agentId, this.#signal).catch((thrown: unknown) => {
      if (thrown instanceof Fault && thrown.code === 'conflict') return []; // it was archived
      throw thrown;
    });
    conversation.follow(agent);
    let hasSpoken = false;
    for (const message of conversation.unseen(messages)) {
      hasSpoken ||= !message.isUser;
      const isOwn = conversation.saw(message);
      if (!isOwn) yield this.#said(message);
    }
    this.#isSilent &&= !hasSpoken;
    return { agent, hasSpoken };
  }

  #said({ id, isUser, text }: CloudMessage): TurnEvent {
    if (!isUser) return { kind: 'text', partId: `${this.#deps.request.turnId}-${id}`, text };
    const quoted = text
      .split('\n')
      .map((it) => `> ${it}`)
      .join('\n');
    return { kind: 'notice', markdown: `A message that was sent elsewhere:\n\n${quoted}` };
  }

  async *#end(agent: CloudAgent): AsyncGenerator<TurnEvent, void> {
    const { name, request } = this.#deps;
    if (agent.status === 'ERROR') {
      throw new Fault(
        'unavailable',
        agent.summary === undefined
          ? `${name} could not complete the task.`
          : `${name} could not complete the task: ${agent.summary}`,
      );
    }
    if (this.#isSilent && agent.summary !== undefined) {
      yield { kind: 'text', partId: `${request.turnId}-summary`, text: agent.summary };
    }
    yield { kind: 'notice', markdown: endedWords(agent) };
  }

  /** Called when the turn was stopped. An agent that cannot be stopped goes on, and the next turn shows what it did. */
  async #stop(): Promise<void> {
    const { client, conversation } = this.#deps;
    if (conversation.agentId === undefined) return;
    await client.stop(conversation.agentId, STOP_MS).catch((thrown: unknown) => {
      if (!(thrown instanceof Fault)) throw thrown;
    });
  }
}

interface Looked {
  readonly agent: CloudAgent;
  /** The agent said something that the chat did not show yet. */
  readonly hasSpoken: boolean;
}

const noAgent: TurnEvent = {
  kind: 'notice',
  markdown: 'This session has no cloud agent yet. Send a message to launch one, or use /agents to continue one.',
};
