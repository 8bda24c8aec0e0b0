import { Fault } from '../../platform/faults.ts';
import { type ModelsThrough, optionsOf, type SessionModels } from '../models.ts';
import type { SessionOptions } from '../options.ts';
import type { AgentSession, SessionContext, TurnEvent, TurnHost, TurnRequest } from '../provider.ts';
import { Conversation } from './conversation/conversation.ts';
import { type ChosenModel, chooseModel, connectModel } from './models/connectModel.ts';
import { editorModel } from './models/editorModel.ts';
import type { LanguageModel } from './models/languageModel.ts';
import { isMode, modeOption, USUAL_MODE } from './modes.ts';
import type { CoderDeps } from './provider.ts';
import { COMPACT, CoderTurn } from './turn.ts';

const NO_MODEL =
  'No model is available. Add a key or a local model under Models + Endpoints, and then send the message again.';
const OWN_MODELS =
  'The built-in agent has no models of its own. Remove "coder" from the switchboard.agentModels setting, and then start a new session.';
const ONLY_PATTERNS =
  'The gateway offers only models whose names end in "*", so there is no default model. Add a model with a full name under Models + Endpoints, and then send the message again.';

/** @see coderProvider */
export async function openCoderSession(deps: CoderDeps, context: SessionContext): Promise<AgentSession> {
  if (context.models?.choice === 'own') throw new Fault('unavailable', OWN_MODELS);
  const session = new CoderSession(deps, context);
  await session.learnModels();
  session.begin();
  return session;
}

class CoderSession implements AgentSession {
  readonly resumeId: string;
  readonly forgotEarlierTurns: boolean;
  began?: SessionOptions;
  readonly #deps: CoderDeps;
  readonly #context: SessionContext;
  readonly #conversation: Conversation;
  readonly #listeners = new Set<() => void>();
  #mode = USUAL_MODE;
  #offered: SessionModels | undefined;
  #model: string | undefined;
  /** The models at the last look. */
  #known = '[]';
  #turn: CoderTurn | undefined;

  constructor(deps: CoderDeps, context: SessionContext) {
    this.#deps = deps;
    this.#context = context;
    const { memory, resumeId = deps.newId(), config } = context;
    this.resumeId = resumeId;
    this.#conversation = new Conversation(resumeId, memory);
    // With a memory, a conversation without entries is one in which nothing was said.
    this.forgotEarlierTurns = context.resumeId !== undefined && memory === undefined;
    if (isMode(config['mode'])) this.#mode = config['mode'];
  }

  /** A new conversation begins in the default mode, regardless of the mode that was chosen for the session. */
  begin(): void {
    if (this.#context.resumeId === undefined) this.began = { ...this.options, properties: [modeOption(USUAL_MODE)] };
  }

  get options(): SessionOptions {
    const models = optionsOf(this.#offered?.models ?? [], this.#editorModels);
    const model = this.#model ?? models[0]?.id;
    return {
      models,
      ...(model !== undefined && { model }),
      properties: [modeOption(this.#mode)],
      commands: [{ name: COMPACT.slice(1), description: 'Summarize the conversation to free space in the context.' }],
      severalFolders: true,
      prompts: { images: true, files: false },
    };
  }

  async *run(request: TurnRequest, host: TurnHost, signal: AbortSignal): AsyncGenerator<TurnEvent, void> {
    if (signal.aborted) return;
    await this.learnModels();
    const { model: name = this.options.model } = request;
    const { chosen, model } = this.#connect(name);
    if (chosen.name !== this.options.model) this.#change(() => (this.#model = chosen.name));
    const turn = new CoderTurn({
      context: this.#context,
      timers: this.#deps.timers,
      search: this.#deps,
      conversation: this.#conversation,
      chosen,
      model,
      mode: () => this.#mode,
      leavePlan: () => this.#change(() => (this.#mode = 'build')),
      request,
      host,
      signal,
    });
    this.#turn = turn;
    try {
      yield* turn.events();
    } finally {
      this.#turn = undefined;
    }
  }

  modelsThrough(model = this.options.model): ModelsThrough {
    return this.#editorModels.some((it) => it.id === model) ? 'editor' : 'gateway';
  }

  /** Models can be added and removed between turns. @throws {Fault} `unavailable` */
  async learnModels(): Promise<void> {
    this.#offered = await this.#context.models?.offered();
    const known = JSON.stringify(this.options.models);
    if (known !== this.#known) this.#change(() => (this.#known = known));
  }

  async configure({ mode }: Readonly<Record<string, unknown>>): Promise<void> {
    if (isMode(mode) && mode !== this.#mode) this.#change(() => (this.#mode = mode));
  }

  async steer(text: string): Promise<boolean> {
    return this.#turn?.steer(text) ?? false;
  }

  onOptions(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** The agent has no process that could exit. */
  onGone(): () => void {
    return () => undefined;
  }

  async close(): Promise<void> {
    // The signal ends a running turn, and each entry of the conversation is already on disk.
  }

  get #editorModels() {
    return this.#context.models?.editor?.list() ?? [];
  }

  /** @throws {Fault} `unavailable` */
  #connect(name: string | undefined): { readonly chosen: ChosenModel; readonly model: LanguageModel } {
    const offered = this.#offered;
    const editor = this.#context.models?.editor;
    const ofEditor = this.#editorModels.find((it) => it.id === name);
    if (editor && ofEditor) {
      const { id, context } = ofEditor;
      const model = editorModel({ editor, newId: this.#deps.newId }, id);
      return { chosen: { name: id, dialect: 'editor', context }, model };
    }
    if (!offered && this.#editorModels.length === 0) throw new Fault('unavailable', NO_MODEL);
    if (name === undefined) throw new Fault('unavailable', ONLY_PATTERNS);
    const chosen = offered && chooseModel(offered, name);
    if (offered && chosen) return { chosen, model: connectModel(offered, chosen) };
    throw new Fault(
      'unavailable',
      `The model "${name}" is not available: it was removed, or access to it was withdrawn. Choose another model.`,
    );
  }

  #change(work: () => void): void {
    work();
    for (const listener of this.#listeners) listener();
  }
}
