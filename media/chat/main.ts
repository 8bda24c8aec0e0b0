import './page.css';
import { html, render } from 'lit';
import type { ChatFromPage, ChatToPage } from '../../src/webviews/contract/chat.ts';
import type { RestoreState } from '../../src/webviews/contract/chatModel.ts';
import { connectBridge } from '../shared/bridge.ts';
import { t, useTranslations } from '../shared/l10n.ts';
import { Announcer } from './announcer.ts';
import type { BannersElement } from './banners.ts';
import './banners.ts';
import type { ComposerElement } from './composer.ts';
import './composer.ts';
import { drawFrame } from './frame.ts';
import { onPost } from './post.ts';
import { Scroller } from './scroller.ts';
import { PageStore } from './store.ts';
import { Transcript } from './transcript.ts';

interface Saved {
  readonly restore?: RestoreState;
  readonly draft: string;
}

const store = new PageStore();
const bridge = connectBridge<ChatToPage, ChatFromPage, Saved>(receive);
render(drawFrame(), document.body);
const log = document.querySelector<HTMLElement>('#log')!;
const welcome = document.querySelector<HTMLElement>('#welcome')!;
const keyHints = welcome.querySelector('ul')!;
const activity = document.querySelector<HTMLElement>('#activity')!;
const banners = document.querySelector<BannersElement>('chat-banners')!;
const composer = document.querySelector<ComposerElement>('chat-composer')!;
const transcript = new Transcript(document.querySelector('#turns')!, store);
const announcer = new Announcer(document.querySelector('#polite')!, document.querySelector('#assertive')!);
const scroller = new Scroller(log, () => {
  if (store.head?.hasOlder) bridge.post({ type: 'older' });
});
let isAsking = false;

function receive(message: ChatToPage): void {
  switch (message.type) {
    case 'model':
      useTranslations(message.strings);
      return draw(message);
    case 'patch':
      return draw(message);
    case 'completions':
      return composer.showCompletions(message.requestId, message.items);
    case 'compose':
      if (message.text !== undefined) {
        composer.text = message.isReturned && composer.text ? `${message.text}\n${composer.text}` : message.text;
      }
      if (message.heldFor !== undefined) composer.isAskingUnsaved = message.heldFor;
      if (message.focus) focusComposer();
  }
}

function draw(message: Extract<ChatToPage, { type: 'model' | 'patch' }>): void {
  const isFirst = store.head === undefined;
  const changed = store.apply(message);
  if (!changed) {
    if (!isAsking) bridge.post({ type: 'ready' });
    isAsking = true;
    return;
  }
  if (changed.isWhole) isAsking = false;
  const keepPlace = scroller.beforeChange(message.type === 'patch' && message.splice !== undefined);
  transcript.update(changed);
  announcer.update(store, changed);
  if (changed.isHead) drawHead(isFirst);
  welcome.hidden = store.order.length > 0;
  keepPlace();
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
  banners.banners = head.banners;
  composer.head = head;
  keyHints.hidden = head.composer.blocked !== undefined;
  render(activityLine(), activity);
  if (isFirst) {
    const draft = bridge.saved()?.draft || head.composer.draft;
    void composer.updateComplete.then(() => {
      composer.text = draft;
      if (head.composer.blocked === undefined) focusComposer();
    });
  }
  save();
}

function activityLine() {
  const turn = store.head?.turn;
  if (!turn) return html``;
  if (turn.needsYou) return html`<span class="activity">${t('Waiting for your answer')}</span>`;
  return html`<span class="activity is-working">${turn.activity ?? t('Working…')}</span>`;
}

function save(): void {
  const restore = store.head?.restore;
  bridge.save({ draft: composer.text, ...(restore && { restore }) });
}

onPost(document.body, (message) => {
  if (message.type === 'send') scroller.stick();
  bridge.post(message);
  if (message.type === 'draft' || message.type === 'send') save();
});

document.addEventListener('keydown', (event) => {
  if (event.key !== 'Escape' || event.defaultPrevented || !store.head?.turn) return;
  bridge.post({ type: 'stop' });
});

document.addEventListener('click', (event) => {
  const target = event.target as HTMLElement;
  const link = target.closest<HTMLAnchorElement>('a[href]');
  if (link) {
    event.preventDefault();
    bridge.post({ type: 'link', href: link.getAttribute('href')! });
  }
  const copy = target.closest<HTMLElement>('[data-copy]');
  const code = copy?.closest('.code')?.querySelector('code')?.textContent;
  if (copy && code) {
    bridge.post({ type: 'copy', text: code });
    copy.classList.replace('codicon-copy', 'codicon-check');
    window.setTimeout(() => copy.classList.replace('codicon-check', 'codicon-copy'), 1200);
  }
});

bridge.post({ type: 'ready' });
