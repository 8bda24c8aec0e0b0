import { html, nothing, type TemplateResult } from 'lit';
import type { ChatHead, ChatTab } from '../../../src/webviews/contract/chatModel.ts';
import { icon } from '../../shared/icon.ts';
import { t } from '../../shared/l10n.ts';
import { LightElement } from '../../shared/lightElement.ts';
import { type MenuItem, openMenu } from '../../shared/menu.ts';
import { post } from '../post.ts';

/** The chats of a session, where there are several. One tab stop; arrows, Home and End go from tab to tab. */
export class TabsElement extends LightElement {
  static override properties = { head: { attribute: false } };
  declare head: ChatHead | undefined;

  protected override render(): TemplateResult | typeof nothing {
    const { chats, chat, canAddChat } = this.head ?? {};
    if (!chats) return nothing;
    const open = chats.filter((it) => !it.isClosed);
    return html`<div class="chat-tabs">
      <div class="chat-tab-list" role="tablist" aria-label=${t('Chats in this session')} @keydown=${(it: KeyboardEvent) => this.#key(it)}>
        ${open.map((it) => this.#tab(it, it.id === chat))}
      </div>
      ${
        canAddChat
          ? html`<button type="button" class="icon-button codicon codicon-add" aria-label=${t('New chat')} title=${t('New chat')}
            @click=${() => post(this, { type: 'newChat' })}></button>`
          : nothing
      }
      <button type="button" class="icon-button codicon codicon-ellipsis" aria-haspopup="menu" aria-expanded="false"
        aria-label=${t('Chat actions')} title=${t('Chat actions')}
        @click=${(event: Event) => this.#menu(event.currentTarget as HTMLElement, chat)}></button>
    </div>`;
  }

  #tab(tab: ChatTab, isShown: boolean): TemplateResult {
    const state = stateOf(tab);
    const name = titleOf(tab);
    return html`<button type="button" role="tab" class="chat-tab" data-chat=${tab.id} tabindex=${isShown ? 0 : -1}
      aria-selected=${isShown ? 'true' : 'false'} aria-controls="log"
      aria-label=${state ? `${name}, ${state.words}` : name} title=${state ? `${name} (${state.words})` : name}
      @click=${() => this.#show(tab.id)}
      @auxclick=${(event: MouseEvent) => event.button === 1 && !tab.isMain && this.#ask(tab.id, 'close')}
      @contextmenu=${(event: MouseEvent) => {
        event.preventDefault();
        this.#menu(event.currentTarget as HTMLElement, tab.id);
      }}>
      ${state ? html`<span class="chat-tab-state is-${state.kind}">${icon(state.icon, state.kind === 'working')}</span>` : tab.isBeside ? icon('comment-discussion') : nothing}
      <span class="chat-tab-title">${name}</span>
    </button>`;
  }

  #show(chat: string): void {
    if (chat !== this.head?.chat) this.#ask(chat, 'show');
  }

  #ask(chat: string, what: 'show' | 'rename' | 'close' | 'reopen' | 'delete'): void {
    post(this, { type: 'chat', chat, what });
  }

  #key(event: KeyboardEvent): void {
    const tabs = [...this.querySelectorAll<HTMLElement>('[role=tab]')];
    const at = tabs.indexOf(document.activeElement as HTMLElement);
    const tab = tabs[at];
    const chat = tab?.dataset['chat'];
    if (!tab || chat === undefined || event.altKey || event.ctrlKey || event.metaKey) return;
    const moves: Readonly<Record<string, number>> = {
      ArrowRight: (at + 1) % tabs.length,
      ArrowLeft: (at - 1 + tabs.length) % tabs.length,
      Home: 0,
      End: tabs.length - 1,
    };
    const to = moves[event.key];
    if (to !== undefined) tabs[to]?.focus();
    else if (event.key === 'F2') this.#ask(chat, 'rename');
    else if (event.key === 'Delete') this.#close(chat);
    else if (event.key === 'ContextMenu' || (event.key === 'F10' && event.shiftKey)) this.#menu(tab, chat);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  #close(chat: string): void {
    if (this.head?.chats?.some((it) => it.id === chat && !it.isMain)) this.#ask(chat, 'close');
  }

  /** What can be done with one chat, and the chats that were closed. */
  #menu(anchor: HTMLElement, chat: string | undefined): void {
    const { chats = [] } = this.head ?? {};
    const tab = chats.find((it) => it.id === chat);
    const own: MenuItem[] = tab
      ? [
          { id: 'rename', label: t('Rename…'), icon: 'edit' },
          ...(tab.isMain
            ? []
            : [
                { id: 'close', label: t('Close'), icon: 'close' },
                { id: 'delete', label: t('Delete…'), icon: 'trash' },
              ]),
        ]
      : [];
    const closed = chats.filter((it) => it.isClosed);
    const items = [
      ...own,
      ...closed.map((it) => ({ id: `reopen ${it.id}`, label: t('Open {0}', titleOf(it)), icon: 'history' })),
    ];
    openMenu(anchor, tab ? titleOf(tab) : t('Chat actions'), items, (id) => {
      const [what, closedChat] = id.split(' ', 2);
      if (what === 'reopen' && closedChat !== undefined) this.#ask(closedChat, 'reopen');
      else if (tab && (what === 'rename' || what === 'close' || what === 'delete')) this.#ask(tab.id, what);
    });
  }
}
customElements.define('chat-tabs', TabsElement);

function titleOf({ title, isMain, isBeside }: ChatTab): string {
  if (title) return title;
  if (isMain) return t('Main chat');
  return isBeside ? t('Side chat') : t('New chat');
}

interface State {
  readonly kind: 'needsYou' | 'working' | 'failed' | 'unread';
  readonly icon: string;
  readonly words: string;
}

function stateOf({ state, isUnread }: ChatTab): State | undefined {
  if (state === 'needsYou') return { kind: state, icon: 'bell-dot', words: t('needs your input') };
  if (state === 'working') return { kind: state, icon: 'loading', words: t('working') };
  if (state === 'failed') return { kind: state, icon: 'error', words: isUnread ? t('failed, unread') : t('failed') };
  return isUnread ? { kind: 'unread', icon: 'circle-filled', words: t('unread') } : undefined;
}
