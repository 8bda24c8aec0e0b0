import { html, nothing, type TemplateResult } from 'lit';
import { keyed } from 'lit/directives/keyed.js';
import type { KeyAnswer } from '../../sidecar/protocol/gateway/answers.ts';
import { icon } from '../shared/icon.ts';
import { t } from '../shared/l10n.ts';
import { LightElement } from '../shared/lightElement.ts';
import { type Api, ApiError, withQuery } from './api.ts';
import { detailPage } from './detail/detail.ts';
import type { Routes } from './gateway.ts';
import { drawInvited } from './invited.ts';
import type { Session } from './kit/adminElement.ts';
import { wordsOf } from './kit/loader.ts';
import { failure } from './kit/notice.ts';
import { type Toast, toast } from './kit/toast.ts';
import { groupsFor, type PageEntry, pageOf } from './pages.ts';
import type { Place } from './place.ts';
import { keyWords } from './records/keyNames.ts';
import { showWarnings } from './records/warnings.ts';
import { drawSignIn, type WaysIn } from './signIn.ts';

interface Parts {
  readonly api: Api;
  readonly routes: Routes;
  readonly place: Place;
}
type Standing =
  | { readonly is: 'opening' }
  | { readonly is: 'out'; readonly error?: string; readonly ways: WaysIn | undefined }
  | { readonly is: 'invited'; readonly token: string; readonly error?: string; readonly key?: string }
  | { readonly is: 'failed'; readonly error: string }
  | { readonly is: 'in'; readonly session: Session; readonly name: string };

/** The frame around the pages: who is signed in, where to go, what was done. */
export class AppElement extends LightElement {
  #parts: Parts | undefined;
  #standing: Standing = { is: 'opening' };
  #query: Readonly<Record<string, string>> = {};
  #showsAll = false;
  /** Whether the navigation is open where there is no room for it beside the page. */
  #isUnfolded = false;
  #toast: Toast = { words: '', isError: false };

  start(parts: Parts): void {
    this.#parts = parts;
    this.#read();
    parts.place.onQuery(() => {
      this.#read();
      this.requestUpdate();
    });
    this.addEventListener('admin-query', (event) =>
      this.#go((event as CustomEvent<Record<string, string>>).detail, true),
    );
    // Dialogs are beside the frame, and what leads elsewhere closes them.
    document.addEventListener('admin-go', (event) => {
      for (const it of document.querySelectorAll('dialog')) it.close();
      this.#visit((event as CustomEvent<Record<string, string>>).detail);
    });
    this.addEventListener('admin-notice', (event) => this.#notify((event as CustomEvent<string>).detail));
    this.addEventListener('admin-refused', (event) => this.#notify((event as CustomEvent<string>).detail, true));
    parts.api.onSignedOut = () => this.#leave();
    parts.api.onWarnings = showWarnings;
    const token = parts.place.invitation();
    if (token === undefined) void this.#enter();
    else this.#standing = { is: 'invited', token };
    this.requestUpdate();
  }

  async #accept(token: string, name: string): Promise<void> {
    try {
      const { key } = await this.#parts!.routes.acceptInvitation(token, name);
      this.#standing = { is: 'invited', token, key };
    } catch (thrown) {
      this.#standing = { is: 'invited', token, error: wordsOf(thrown) };
    }
    this.requestUpdate();
  }

  #leave(): void {
    if (this.#standing.is !== 'in') return;
    for (const it of document.querySelectorAll('dialog')) it.close();
    void this.#out(t('You were signed out because the session expired or because the key was blocked or deleted.'));
  }

  /** Shows the ways in. */
  async #out(error?: string): Promise<void> {
    const { place, routes } = this.#parts!;
    try {
      const ways = place.signsIn ? await routes.waysIn() : undefined;
      this.#standing = { is: 'out', ways, ...(error !== undefined && { error }) };
    } catch (thrown) {
      this.#standing = { is: 'failed', error: wordsOf(thrown) };
    }
    this.requestUpdate();
  }

  protected override render(): TemplateResult {
    const standing = this.#standing;
    switch (standing.is) {
      case 'opening':
        return html`<main class="opening" aria-busy="true"><p class="muted">${t('Opening…')}</p></main>`;
      case 'out':
        return drawSignIn({
          ...standing,
          error: standing.error,
          withKey: (key) => this.#signIn(key),
          withProvider: () => this.#signInWithProvider(),
        });
      case 'invited':
        return drawInvited({
          place: this.#parts!.place,
          error: standing.error,
          key: standing.key,
          accept: (name) => this.#accept(standing.token, name),
          enter: (key) => this.#signIn(key),
        });
      case 'failed':
        return html`<main class="opening">${failure(standing.error, () => void this.#enter())}</main>`;
      case 'in':
        return this.#frame(standing);
    }
  }

  #frame({ session, name }: Extract<Standing, { is: 'in' }>): TemplateResult {
    const page = pageOf(this.#query['page']);
    document.title = `${page.label()} – Switchboard`;
    const audience = this.#showsAll ? 'all' : audienceOf(session);
    return html`<a class="skip" href="#content" @click=${this.#skip}>${t('Skip to content')}</a>
      <div class="frame">
        <nav class="side ${this.#isUnfolded ? 'is-unfolded' : ''}" aria-label=${t('Gateway pages')}>
          <div class="brand">${icon('circuit-board')}<span>Switchboard</span></div>
          <button type="button" class="button unfold" aria-expanded=${String(this.#isUnfolded)} @click=${() => this.#unfold()}>${icon('list-flat')} ${t('Pages')}</button>
          ${groupsFor(audience, page.id).map(
            (group) => html`<h2>${group.label()}</h2>
              <ul>
                ${group.pages.map(
                  (
                    it,
                  ) => html`<li><a href=${withQuery('', { page: it.id })} aria-current=${it.id === page.id ? 'page' : nothing}
                    @click=${(event: MouseEvent) => this.#onLink(event, it.id)}>${icon(it.icon)}<span>${it.label()}</span></a></li>`,
                )}
              </ul>`,
          )}
          ${
            audience === 'all'
              ? nothing
              : html`<button type="button" class="button quiet" @click=${() => this.#showAll()}>${t('All pages')}</button>`
          }
          <div class="who">
            <span class="muted" title=${name}>${icon('account')}<span>${name}</span></span>
            ${
              session.place.signsIn
                ? html`<button type="button" class="button quiet" @click=${() => void this.#signOut()}>${t('Sign out')}</button>`
                : nothing
            }
          </div>
        </nav>
        <main id="content" tabindex="-1">${this.#page(page, session)}</main>
      </div>
      ${toast(this.#toast, () => this.#notify(''))}`;
  }

  #unfold(): void {
    this.#isUnfolded = !this.#isUnfolded;
    this.requestUpdate();
  }

  /** The button is gone then, and the focus goes to what it led to. */
  #showAll(): void {
    this.#showsAll = true;
    this.requestUpdate();
    void this.updateComplete.then(() => this.querySelector<HTMLElement>('nav li a')?.focus());
  }

  #page(page: PageEntry, session: Session) {
    const { id } = this.#query;
    if (!page.detail || !id) return keyed(page.id, page.draw(session, this.#query));
    return keyed(`${page.id} ${id}`, detailPage(session, this.#query, page.detail));
  }

  readonly #skip = (event: Event): void => {
    event.preventDefault();
    this.querySelector<HTMLElement>('#content')?.focus();
  };

  #onLink(event: MouseEvent, page: string): void {
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0) return;
    event.preventDefault();
    this.#visit({ page });
  }

  #visit(query: Readonly<Record<string, string>>): void {
    this.#isUnfolded = false;
    this.#go(query, false);
    this.querySelector<HTMLElement>('#content')?.scrollTo({ top: 0 });
  }

  #read(): void {
    this.#query = Object.fromEntries(new URLSearchParams(this.#parts?.place.query() ?? ''));
  }

  #go(query: Readonly<Record<string, string>>, replace: boolean): void {
    this.#parts?.place.remember(withQuery('', query) || '?', replace);
    this.#query = Object.fromEntries(Object.entries(query).filter((it) => it[1] !== '' && it[1] !== undefined));
    this.#notify('');
  }

  #notify(words: string, isError = false): void {
    this.#toast = { words, isError };
    this.requestUpdate();
  }

  /** Who is it? Asked at the start and after every sign-in; the key's own record is the answer. */
  async #enter(): Promise<void> {
    const parts = this.#parts!;
    try {
      const [{ info: own }, info] = await Promise.all([parts.routes.ownKey(), parts.routes.info()]);
      const mayWrite = own.role !== 'proxy_admin_viewer';
      this.#standing = { is: 'in', session: { ...parts, mayWrite, own, info }, name: nameOf(own) };
    } catch (thrown) {
      if (thrown instanceof ApiError && thrown.status === 401) return this.#out();
      this.#standing = { is: 'failed', error: wordsOf(thrown) };
    }
    this.requestUpdate();
  }

  async #signIn(key: string): Promise<void> {
    try {
      await this.#parts!.routes.signIn(key);
      await this.#enter();
    } catch (thrown) {
      const isRefused = thrown instanceof ApiError && thrown.status === 401;
      const words = wordsOf(thrown);
      const error = isRefused ? t('{0} Enter the complete key, or ask an administrator for a new one.', words) : words;
      await this.#out(error);
    }
  }

  /** Leaves for the identity provider, which sends the browser back to this page. */
  async #signInWithProvider(): Promise<void> {
    const { place, routes } = this.#parts!;
    try {
      const { url } = await routes.signInWithProvider(place.query());
      place.leave(url);
    } catch (thrown) {
      await this.#out(wordsOf(thrown));
    }
  }

  async #signOut(): Promise<void> {
    try {
      const { place, routes } = this.#parts!;
      const ended = await routes.signOut();
      // The session at the identity provider would sign in whoever uses this browser next.
      if (ended) return place.leave(ended.url);
    } catch (thrown) {
      this.#notify(wordsOf(thrown), true);
      return;
    }
    await this.#out();
  }
}
customElements.define('admin-app', AppElement);

/** A gateway of one's own is looked at in the editor; who sees only their own data manages nothing. */
function audienceOf({ place, info }: Session): 'alone' | 'own' | 'all' {
  if (!place.signsIn) return 'alone';
  return info?.sees_all === false ? 'own' : 'all';
}

const nameOf = ({ key_alias, key_name }: KeyAnswer): string => keyWords(key_alias || key_name);
