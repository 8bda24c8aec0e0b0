import './page.css';
import { render } from 'lit';
import type { ChatFromPage, ChatToPage, FirstModel } from '../../src/webviews/contract/chat.ts';
import type { PromptRow, RestoreState } from '../../src/webviews/contract/chatModel.ts';
import { connectBridge } from '../shared/bridge.ts';
import { t, useTranslations } from '../shared/l10n.ts';
import { Activity } from './activity.ts';
import { Announcer } from './announcer.ts';
import { followDrops } from './attach/drop.ts';
import { thumbnailOf } from './attach/thumbnail.ts';
import type { BannersElement } from './banners.ts';
import { Batch } from './batch.ts';
import './banners.ts';
import type { ComposerElement } from './composer.ts';
import './composer.ts';
import type { FindElement } from './find/find.ts';
import './find/find.ts';
import { FindMarks } from './find/marks.ts';
import { drawFrame } from './frame.ts';
import { keepParts } from './keepParts.ts';
import type { PlanElement } from './plan.ts';
import './plan.ts';
import { onPost } from './post.ts';
import { followPromptKeys } from './promptKeys.ts';
import { Requests } from './requests.ts';
import { takeDiff } from './rows/diff.ts';
import { editEvent } from './rows/prompt.ts';
import { Scroller } from './scroller.ts';
import { PageStore } from './store.ts';
import { Switching } from './tabs/switching.ts';
import type { TabsElement } from './tabs/tabs.ts';
import './tabs/tabs.ts';
import { showCopied } from './toolbar.ts';
import { Transcript } from './transcript.ts';

interface Saved {
  readonly restore?: RestoreState;
  readonly draft: string;
  /** The ID of the first model, once it has been drawn. */
  readonly first?: string;
  /** An earlier message that is being edited. */
  readonly edited?: { readonly turnId: string; readonly text: string };
}

/** After these the composer holds something else. */
const saving: ReadonlySet<string> = new Set(['draft', 'send', 'resend', 'turn']);

const store = new PageStore();
const block = document.querySelector('#first');
const first = block?.textContent ? (JSON.parse(block.textContent) as FirstModel) : undefined;
block?.remove();
const bridge = connectBridge<ChatToPage, ChatFromPage, Saved>(receive);
render(drawFrame(), document.body);
const log = document.querySelector<HTMLElement>('#log')!;
const welcome = document.querySelector<HTMLElement>('#welcome')!;
const sideTitle = document.querySelector<HTMLElement>('#side-title')!;
const keyHints = welcome.querySelector('ul')!;
const addAgent = welcome.querySelector<HTMLElement>('#add-agent')!;
const activity = new Activity(document.querySelector('#activity')!);
const banners = document.querySelector<BannersElement>('chat-banners')!;
const plan = document.querySelector<PlanElement>('chat-plan')!;
const composer = document.querySelector<ComposerElement>('chat-composer')!;
const transcript = new Transcript(document.querySelector('#turns')!, store);
const announcer = new Announcer(document.querySelector('#polite')!, document.querySelector('#assertive')!);
const scroller = new Scroller(log, () => {
  if (store.head?.hasOlder) bridge.post({ type: 'older' });
});
const tabs = document.querySelector<TabsElement>('chat-tabs')!;
const switching = new Switching({ scroller, transcript, composer });
const find = document.querySelector<FindElement>('chat-find')!;
const marks = new FindMarks(log, transcript, scroller);
find.place = marks;
find.leave = () => composer.focus();
const batch = new Batch(document.body, store, (id) => transcript.row(id));
const requests = new Requests(document.body, batch, composer);
let isAsking = false;
/** Messages that arrived before the first model. */
const early: ChatToPage[] = [];

function receive(message: ChatToPage): void {
  if (message.type === 'parts') return; // they run already
  if (!store.head && message.type !== 'model' && message.type !== 'patch') return void early.push(message);
  switch (message.type) {
    case 'model':
      // What the frame says was drawn before its language was known.
      if (useTranslations(message.strings)) render(drawFrame(), document.body);
      return draw(message);
    case 'patch':
      return draw(message);
    case 'insert':
      return composer.insert(message.text);
    case 'preview':
      return void shrink(message);
    case 'completions':
      return composer.showCompletions(message.requestId, message.items);
    case 'matches':
      return find.found(message.requestId, message.matches, message.isMore);
    case 'diff':
      return takeDiff(message);
    case 'compose':
      if (message.editing !== undefined) composer.edit(message.editing, message.text ?? '');
      else if (message.text !== undefined) {
        composer.leaveEdit();
        composer.text = message.isReturned && composer.text ? `${message.text}\n${composer.text}` : message.text;
      }
      if (message.heldFor !== undefined) composer.isAskingUnsaved = message.heldFor;
      if (message.focus) focusComposer();
  }
}

async function shrink({ attachmentId, contentType, data }: Extract<ChatToPage, { type: 'preview' }>): Promise<void> {
  const src = await thumbnailOf(contentType, data);
  if (src !== undefined) bridge.post({ type: 'thumbnail', attachmentId, src });
}

function draw(message: Extract<ChatToPage, { type: 'model' | 'patch' }>): void {
  const isFirst = store.head === undefined;
  const wasRunning = store.head?.turn?.id;
  const left = store.head?.chat;
  const entered = message.type === 'model' ? message.model.head.chat : undefined;
  const isSwitch = left !== undefined && entered !== undefined && entered !== left;
  if (isSwitch) switching.leave(left);
  const changed = store.apply(message);
  if (!changed) {
    if (!isAsking) bridge.post({ type: 'ready' });
    // What was posted before the page could hear it is kept by the editor; should it be lost, the page asks again.
    const asking = window.setInterval(() => {
      if (store.head) window.clearInterval(asking);
      else bridge.post({ type: 'ready' });
    }, 2_000);
    isAsking = true;
    return;
  }
  if (changed.isWhole) isAsking = false;
  const keepPlace = scroller.beforeChange(message.type === 'patch' && message.splice !== undefined);
  const keepFocus = requests.beforeChange();
  transcript.update(changed, scroller.isAtEnd);
  batch.update(changed);
  keepFocus();
  announcer.update(store, changed);
  if (changed.isHead) drawHead(isFirst);
  welcome.hidden = store.order.length > 0;
  keepPlace();
  if (isSwitch && store.head) switching.enter(entered, store.head.composer.draft);
  if (isSwitch || (changed.isHead && wasRunning !== store.head?.turn?.id)) find.renew();
  marks.drawn();
  if (changed.isHead) showWanted();
}

function showWanted(): void {
  const turnId = store.head?.wanted;
  const turn = turnId === undefined ? undefined : transcript.turn(turnId);
  if (turnId === undefined || !turn) return;
  transcript.drawAll();
  scroller.show(turn);
  turn.classList.add('is-found');
  turn.addEventListener('animationend', () => turn.classList.remove('is-found'), { once: true });
  bridge.post({ type: 'found', turnId });
}

const focusField = () => composer.focus();

/**
 * The editor decides which page has the focus. A page that took it by itself, late, would close the list in which a person
 * types by then, and get the keys that were meant for another editor.
 */
function focusComposer(): void {
  if (document.hasFocus()) focusField();
  else window.addEventListener('focus', focusField, { once: true });
}

function drawHead(isFirst: boolean): void {
  const head = store.head!;
  document.title = t(head.title);
  sideTitle.textContent = t(head.title);
  sideTitle.title = t(head.title);
  sideTitle.hidden = head.phase === 'new';
  banners.banners = head.banners;
  log.classList.toggle('can-send', head.composer.blocked === undefined);
  log.classList.toggle('can-run', head.canRun === true);
  log.classList.toggle('can-fork', head.canFork === true);
  log.classList.toggle('can-add-chat', head.canAddChat === true);
  log.classList.toggle('can-ask-beside', head.canAskBeside === true && head.composer.blocked === undefined);
  composer.head = head;
  tabs.head = head;
  plan.plan = head.turn?.plan;
  keyHints.hidden = head.composer.blocked !== undefined;
  addAgent.hidden = !hasNoOtherAgent();
  activity.show(head.turn);
  if (isFirst) {
    const saved = bridge.saved();
    void composer.updateComplete.then(() => {
      composer.text = saved?.draft || head.composer.draft;
      if (saved?.edited) composer.edit(saved.edited.turnId, saved.edited.text);
      if (head.composer.blocked === undefined) focusComposer();
      for (const it of early.splice(0)) receive(it);
    });
  }
  save();
}

/** Where runbooks are all there is, the empty chat offers the way to an agent. */
function hasNoOtherAgent(): boolean {
  const picker = agentPicker();
  return (
    picker?.enabled === true &&
    picker.choices.some((it) => it.adds) &&
    picker.choices.every((it) => it.adds ?? it.isBuiltIn)
  );
}
function agentPicker() {
  return store.head?.composer.pickers.find((it) => it.id === 'agent');
}

function save(): void {
  const restore = store.head?.restore;
  const { editing, draft, text } = composer;
  const edited = editing && { turnId: editing.turnId, text };
  bridge.save({ draft, ...(first && { first: first.id }), ...(edited && { edited }), ...(restore && { restore }) });
}

onPost(document.body, (message) => {
  if (message.type === 'send' || message.type === 'resend') scroller.stick();
  bridge.post(message);
  if (saving.has(message.type)) save();
});
document.body.addEventListener(editEvent, (event) => {
  const { turnId, text } = (event as CustomEvent<PromptRow>).detail;
  composer.edit(turnId, text);
});

// Before the editor sees it: its own search knows only what is on the page.
document.addEventListener('keydown', (event) => {
  const isFind =
    event.key.toLowerCase() === 'f' && (event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey;
  const isStep = event.key === 'F3' && find.isOpen === true;
  if (!isFind && !isStep) return;
  event.preventDefault();
  event.stopPropagation();
  if (isStep) find.step(event.shiftKey ? -1 : 1);
  else void find.open(window.getSelection()?.toString().trim().split('\n', 1)[0] ?? '');
});

addAgent.addEventListener('click', () => {
  const choice = agentPicker()?.choices.find((it) => it.adds)?.id;
  if (choice !== undefined) bridge.post({ type: 'choose', picker: 'agent', choice });
});

document.addEventListener('keydown', (event) => {
  if (event.key !== 'Escape' || event.defaultPrevented || !store.head?.turn) return;
  bridge.post({ type: 'stop' });
});

followPromptKeys(log, (bubble) => scroller.show(bubble), focusField);
followDrops(
  document.body,
  () => store.head?.composer.blocked === undefined,
  (message) => bridge.post(message),
);

document.addEventListener('click', (event) => {
  const target = event.target as HTMLElement;
  const link = target.closest<HTMLAnchorElement>('a[href]');
  if (link) {
    event.preventDefault();
    bridge.post({ type: 'link', href: link.getAttribute('href')! });
  }
  const button = target.closest<HTMLElement>('.code-actions button');
  if (button) useCode(button);
});

function useCode(button: HTMLElement): void {
  const block = button.closest<HTMLElement>('.code');
  const text = block?.querySelector('code')?.textContent;
  if (!block || !text) return;
  const what = button.dataset['code'];
  if (what === 'apply' || what === 'insert' || what === 'newFile' || what === 'run') {
    bridge.post({ type: 'code', what, text, language: (block.dataset['language'] ?? '').slice(0, 100) });
    return;
  }
  bridge.post({ type: 'copy', text });
  showCopied(button);
}

if (first && bridge.saved()?.first !== first.id) receive(first.message);
bridge.post({ type: 'ready' });
// What was posted before the page could hear it is kept by the editor; should it be lost, the page asks again.
const asking = window.setInterval(() => {
  if (store.head) window.clearInterval(asking);
  else bridge.post({ type: 'ready' });
}, 2_000);
// As soon as the page is on the screen: a chat that is closed soon leaves its parts for the next one, too.
const keep = () => {
  if (keepParts()) bridge.post({ type: 'kept', isKept: true });
};
requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(keep)));
