import type { ChatAction } from '../../../sidecar/protocol/channels/chat/actions.ts';
import { type FileEdit, Message } from '../../../sidecar/protocol/shared.ts';
import { decide, isOption, type OptionId } from '../../client/confirmations.ts';
import type { BannerButton, ChatFromPage, ChatToPage } from '../contract/chat.ts';
import type { Banner, QuestionRow } from '../contract/chatModel.ts';
import type { Attaching } from './attach/attachModule.ts';
import { type Completion, completionsFor } from './chatCompletions.ts';
import type { ChatActions } from './chatDeps.ts';
import { configure } from './chatOptions.ts';
import { withoutSession } from './chatPickers.ts';
import { attachTranscript, compact, type How, sendPrompt, sendQueued } from './chatPrompts.ts';
import { toAnswer, toAnswers, toGivenAnswer, toQuestionRow } from './chatQuestions.ts';
import { errorAction } from './chatRows.ts';
import { canAskBeside } from './chats/chatTabs.ts';
import { inSandbox } from './chats/inSandbox.ts';
import { actOnParked } from './chats/parkedChat.ts';
import { toBackground } from './chatTerminals.ts';
import { callIn, editsOf, fullOutputOf, terminalOf } from './chatTools.ts';
import type { OpenChat } from './openChat.ts';
import { turnChangesetOf } from './turnChanges.ts';
import type { ChatTurns } from './turns/chatTurnsModule.ts';

/** What a page needs of the window it is in. */
export interface PageWindow {
  post(message: ChatToPage): void;
  saveAll(): Promise<boolean>;
  openOptions(): Promise<void>;
  copy(text: string): void;
  openOutput(title: string, text: string): void;
  openTerminal(resource: string): void;
  previewEdit(edit: FileEdit): void;
  manageTrust(): void;
  newChat(): void;
  /** What few people ask for, loaded when somebody does. */
  turns(): ChatTurns;
  attaching(): Attaching;
}

/** Does what the page asks for. Everything is looked up by id in what the host says now: stale or forged ids do nothing. */
export class ChatMessages {
  readonly #chat: OpenChat;
  readonly #window: PageWindow;
  readonly #actions: ChatActions;
  #completions: { readonly requestId: number; readonly items: readonly Completion[] } | undefined;

  constructor(chat: OpenChat, window: PageWindow, actions: ChatActions) {
    this.#chat = chat;
    this.#window = window;
    this.#actions = actions;
  }

  async handle(message: Exclude<ChatFromPage, { type: 'ready' | 'kept' | 'wrongParts' | 'reload' }>): Promise<void> {
    const chat = this.#chat;
    switch (message.type) {
      case 'send':
        return this.#send(message.text, message.how, message.unsaved);
      case 'compact':
        return compact(chat);
      case 'resend':
        return this.#window.turns().resend(message);
      case 'code':
        return this.#window.turns().code(message);
      case 'turn':
        return this.#window.turns().turn(message.turnId, message.what);
      case 'stop':
        return this.stop();
      case 'draft':
        return chat.composed.save(message.text, message.chat);
      case 'chat':
        return message.what === 'show' ? chat.showChat(message.chat) : this.#window.turns().chat(message);
      case 'find':
        return this.#window.turns().find(message);
      case 'reveal':
        return chat.findTurn(message.turnId);
      case 'newChat':
        return this.#window.turns().newChat();
      case 'askBeside':
        return this.#window.turns().askBeside();
      case 'choose':
        return this.#choose(message.picker, message.choice);
      case 'pinModel':
        return this.#pinModel(message.model, message.isPinned);
      case 'options':
        return this.#window.openOptions();
      case 'attach':
        return this.#window.attaching().add({ kind: message.what });
      case 'attachBytes':
        return this.#window.attaching().add({ ...message, kind: 'bytes' });
      case 'attachUris':
        return this.#window.attaching().add({ kind: 'uris', uris: message.uris });
      case 'attachText':
        return this.#window.attaching().add({ kind: 'text', text: message.text });
      case 'asText':
        return this.#window.attaching().asText(message.attachmentId);
      case 'preview':
        return this.#window.attaching().preview(message.attachmentId);
      case 'thumbnail':
        return this.#window.attaching().thumbnail(message.attachmentId, message.src);
      case 'refused':
        return chat.addBanner({ id: 'notAttached', kind: 'notAttached', detail: message.why, canDismiss: true });
      case 'detach':
        return chat.composed.detach(message.attachmentId);
      case 'complete':
        return this.#complete(message.requestId, message.text, message.offset);
      case 'completed':
        return this.#completed(message.requestId, message.index);
      case 'decide':
        return this.#decide(message);
      case 'answerDraft':
        return this.#answerDraft(message);
      case 'answer':
        return this.#answer(message);
      case 'changes':
        return this.#changes(message.turnId, message.what);
      case 'tool':
        return this.#tool(message);
      case 'diff':
        return this.#diff(message);
      case 'retry':
        return this.#retry(message.turnId);
      case 'skip':
        return this.#window.turns().turn(message.turnId, 'skip');
      case 'showLog':
        return this.#actions.showLog();
      case 'attachTranscript':
        return attachTranscript(chat);
      case 'older':
        return chat.showOlder();
      case 'found':
        return chat.foundTurn(message.turnId);
      case 'sendQueued':
        return sendQueued(chat, message.messageId);
      case 'editQueued':
        return this.#editQueued(message.messageId);
      case 'unqueue':
        return this.#unqueue(message.messageId);
      case 'reorder':
        return this.#dispatch({ type: 'chat/queuedMessagesReordered', order: message.order });
      case 'banner':
        return this.#banner(message.bannerId, message.what);
      case 'link':
        return this.#window.turns().openLink(message.href);
      case 'copy':
        return this.#window.copy(message.text);
    }
  }

  /** Sends what a command writes for a person, such as the tour: it says nothing about what they use themselves. */
  async sendFor(text: string): Promise<void> {
    const { isTrusted } = this.#chat.deps.editor();
    if (isTrusted && (await sendPrompt(this.#chat, text, 'send'))) return this.#chat.composed.save('');
    this.#window.post({ type: 'compose', text, focus: true });
  }

  stop(): void {
    const turn = this.#chat.chat?.activeTurn;
    if (!turn) return;
    const duration = Math.max(0, Date.parse(this.#chat.deps.now()) - Date.parse(turn.startedAt));
    this.#dispatch({ type: 'chat/turnCancelled', turnId: turn.id, duration });
  }

  #dispatch(action: ChatAction): void {
    const { chatUri, deps } = this.#chat;
    if (chatUri !== undefined) deps.port.dispatch(chatUri, action);
  }

  async #send(text: string, how: How, unsaved: 'ask' | 'save' | 'ignore'): Promise<void> {
    const facts = this.#chat.deps.editor();
    const isHeld = unsaved === 'ask' && facts.unsavedFiles > 0;
    const question = this.#chat.chat && /^\/btw\s+(\S[\s\S]*)$/.exec(text)?.[1];
    if (question !== undefined && facts.isTrusted && canAskBeside(this.#chat)) {
      this.#chat.composed.save('');
      return this.#window.turns().askBeside(question);
    }
    const isReady = facts.isTrusted && !isHeld && (unsaved !== 'save' || (await this.#window.saveAll()));
    if (isReady && (await sendPrompt(this.#chat, text, how))) {
      this.#chat.composed.save('');
      return this.#chat.used();
    }
    this.#window.post({ type: 'compose', text, focus: true, ...(isHeld && { heldFor: how }) });
  }

  /**
   * Nothing that a person wrote is lost: what the host refused comes back into the composer. A queued message that could
   * not begin is in the queue still, or somebody else sent it.
   */
  giveBack(refused: object): void {
    if ('queuedMessageId' in refused) return;
    const message = Message.safeParse('message' in refused ? refused.message : undefined);
    if (!message.success) return;
    const { text, attachments = [] } = message.data;
    const kept = attachments.map((attachment) => ({ id: this.#chat.deps.newId(), attachment }));
    this.#chat.composed.attachments = [...kept, ...this.#chat.composed.attachments];
    this.#window.post({ type: 'compose', text, focus: true, isReturned: true });
  }

  #choose(picker: string, choice: string): void {
    const chat = this.#chat;
    const known = chat.model().head.composer.pickers.find((it) => it.id === picker);
    const chosen = known?.choices.find((it) => it.id === choice && it.locked === undefined);
    if (!known?.enabled || !chosen) return;
    const { session, folder } = chat.chosen;
    if (chosen.adds) return this.#actions.addAgent('newChat');
    if (picker === 'agent') return chat.restart({ ...(folder !== undefined && { folder }), provider: choice });
    if (picker === 'folder') return chat.restart({ ...withoutSession(chat.chosen), folder: choice });
    if (picker === 'model') return chat.chooseModel(choice);
    if (picker === 'customAgent') return chat.choose({ customAgent: choice });
    const config = { [picker.slice('option:'.length)]: choice };
    if (session !== undefined && chat.session) configure(chat, session, config);
    else chat.choose({ config: { ...chat.chosen.config, ...config } });
  }

  async #pinModel(model: string, isPinned: boolean): Promise<void> {
    const { deps, chosen } = this.#chat;
    if (chosen.provider === undefined) return;
    await deps.lastUsed.pinModel(chosen.provider, model, isPinned);
    this.#chat.changed();
  }

  async #complete(requestId: number, text: string, offset: number): Promise<void> {
    const items = await completionsFor(this.#chat, text, offset);
    this.#completions = { requestId, items };
    this.#window.post({ type: 'completions', requestId, items: items.map((it) => it.model) });
  }

  /** A completion that stands for something takes its attachment along; one that is only words is in the text. */
  async #completed(requestId: number, index: number): Promise<void> {
    const taken = this.#completions?.requestId === requestId ? this.#completions.items[index] : undefined;
    if (taken?.kind) return this.#window.attaching().add({ kind: taken.kind });
    if (taken?.attachment && taken.attachment.type !== 'simple')
      this.#chat.composed.attach([{ id: `completion/${requestId}/${index}`, attachment: taken.attachment }]);
  }

  #decide({ turnId, toolCallId, optionId, reason }: Extract<ChatFromPage, { type: 'decide' }>): void {
    const toolCall = callIn(this.#chat.chat, turnId, toolCallId);
    if (toolCall?.status !== 'pending-confirmation' && toolCall?.status !== 'pending-result-confirmation') return;
    if (!isOption(optionId)) return;
    const request = { kind: 'toolConfirmation', id: '', chat: '', turnId, toolCall } as const;
    this.#dispatch(decide(request, { option: optionId as OptionId, ...(reason && { reason }) }));
  }

  #answerDraft({ requestId, questionId, answer }: Extract<ChatFromPage, { type: 'answerDraft' }>): void {
    const question = this.#question(requestId)?.questions.find((it) => it.id === questionId);
    if (!question) return;
    const draft = answer && toAnswer(question, toGivenAnswer(answer), 'draft');
    this.#dispatch({ type: 'chat/inputAnswerChanged', requestId, questionId, ...(draft && { answer: draft }) });
  }

  #answer({ requestId, response, answers }: Extract<ChatFromPage, { type: 'answer' }>): void {
    const row = this.#question(requestId);
    if (!row) return;
    const given = Object.fromEntries(Object.entries(answers).map(([id, it]) => [id, toGivenAnswer(it)]));
    this.#dispatch({
      type: 'chat/inputCompleted',
      requestId,
      response,
      ...(response === 'accept' && { answers: toAnswers(row, given) }),
    });
  }

  #changes(turnId: string, what: 'review' | 'keep' | 'undo' | 'redo'): void {
    const changeset = turnChangesetOf(this.#chat.session, turnId);
    if (changeset === undefined) return;
    if (what === 'review') this.#actions.reviewChanges(changeset);
    else if (what === 'keep') this.#actions.keepAll(changeset);
    else if (what === 'undo') this.#actions.undoAll(changeset);
    else this.#actions.redo(changeset);
  }

  #tool({ turnId, toolCallId, what, index }: Extract<ChatFromPage, { type: 'tool' }>): void {
    const call = callIn(this.#chat.chat, turnId, toolCallId);
    if (!call) return;
    if (what === 'signIn') return this.#signIn(toolCallId);
    if (what === 'output') return this.#window.openOutput(call.displayName, fullOutputOf(call));
    const terminal = terminalOf(call)?.resource;
    if (what === 'terminal') return terminal === undefined ? undefined : this.#window.openTerminal(terminal);
    if (what === 'background') return terminal === undefined ? undefined : toBackground(this.#chat, terminal);
    const edit = editsOf(call)[index ?? 0];
    if (!edit) return;
    if (what === 'preview') this.#window.previewEdit(edit);
    else void this.#window.turns().openFile(edit);
  }

  async #diff({ turnId, toolCallId, index }: Extract<ChatFromPage, { type: 'diff' }>): Promise<void> {
    const call = callIn(this.#chat.chat, turnId, toolCallId);
    const edit = call && editsOf(call)[index];
    if (!edit) return;
    const diff = await this.#window.turns().diff(edit);
    this.#window.post({ type: 'diff', turnId, toolCallId, index, diff });
  }

  async #retry(turnId: string): Promise<void> {
    const turn = this.#chat.chat?.turns.find((it) => it.id === turnId);
    const action = turn && errorAction(turn);
    if (action === 'signIn') this.#signIn();
    else if (action === 'configureAgents' || action === 'addAgent') this.#actions[action]();
    else if (action === 'trust') this.#window.manageTrust();
    else if (action === 'folder') this.#chooseFolder();
    else await this.#window.turns().turn(turnId, 'again');
  }

  /** @param toolCallId of the call that waits for a token; absent: the agent itself wants a login */
  #signIn(toolCallId?: string): void {
    const { session, provider, host } = this.#chat.chosen;
    const request = this.#chat.session?.inputNeeded?.find(
      (it) => it.kind === 'toolAuthentication' && it.toolCall.toolCallId === toolCallId,
    );
    this.#actions.signIn({
      ...(session !== undefined ? { session } : provider !== undefined && { provider }),
      ...(session !== undefined && request && { request: `${session}#${request.id}` }),
      ...(host !== undefined && { host }),
    });
  }

  /** With all that it was sent with, before what was typed since. One that began meanwhile stays sent. */
  #editQueued(id: string): void {
    const { steeringMessage, queuedMessages = [] } = this.#chat.chat ?? {};
    const message = [steeringMessage, ...queuedMessages].find((it) => it?.id === id);
    if (!message) return;
    this.#unqueue(id);
    this.giveBack(message);
  }

  #unqueue(id: string): void {
    const kind = this.#chat.chat?.steeringMessage?.id === id ? 'steering' : 'queued';
    this.#dispatch({ type: 'chat/pendingMessageRemoved', kind, id });
  }

  async #banner(id: string, what: BannerButton): Promise<void> {
    const banner = this.#chat.model().head.banners.find((it) => it.id === id);
    if (!banner) return;
    if (what === 'dismiss') return banner.canDismiss ? this.#chat.dismiss(id) : undefined;
    if (banner.kind === 'parked') {
      const giveBack = (message: object) => this.giveBack({ message });
      return actOnParked(this.#chat, what, giveBack, () => this.#actions.addAgent());
    }
    if (what === 'act') return this.#act(banner);
    if (banner.kind !== 'silent') return;
    if (what === 'log') return this.#actions.showLog();
    const turnId = this.#chat.chat?.activeTurn?.id;
    this.stop();
    if (turnId !== undefined) await this.#window.turns().turn(turnId, 'again');
  }

  #act({ kind }: Banner): void | Promise<void> {
    switch (kind) {
      case 'untrusted':
        return this.#window.manageTrust();
      case 'noFolder':
        return this.#actions.openFolder();
      case 'folderGone':
        return this.#chooseFolder();
      case 'noAgent':
      case 'agentGone':
        return this.#actions.addAgent();
      case 'noModel':
        return this.#actions.connectModel();
      case 'commandMissing':
        return this.#actions.configureAgents();
      case 'signIn':
        return this.#signIn();
      case 'silent':
        return this.stop();
      case 'offline':
      case 'stopped':
        return this.#actions.restartHost();
      case 'creationFailed':
        return this.#chat.startOver();
      case 'gone':
        return this.#window.newChat();
      case 'restored':
        return this.#window.turns().redoRestore();
      case 'ranUnasked':
        return inSandbox(this.#chat);
      case 'refused':
      case 'notAttached':
      case 'parked':
        return;
    }
  }

  /** A new session works in a folder of this window; where that is the one that is gone, another has to be opened. */
  #chooseFolder(): void {
    const others = this.#chat.deps.editor().folders.filter((it) => !this.#chat.folders.includes(it.uri));
    if (others.length > 0) this.#window.newChat();
    else this.#actions.openFolder();
  }

  #question(requestId: string): QuestionRow | undefined {
    const turn = this.#chat.chat?.activeTurn;
    for (const part of turn?.responseParts ?? []) {
      if (part.kind !== 'inputRequest' || part.request.id !== requestId || part.response !== undefined) continue;
      return toQuestionRow('', turn!.id, part, true);
    }
    return undefined;
  }
}
