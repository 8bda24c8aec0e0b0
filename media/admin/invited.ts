import { html, nothing, type TemplateResult } from 'lit';
import { icon } from '../shared/icon.ts';
import { t } from '../shared/l10n.ts';
import { copyable } from './kit/copyable.ts';
import { hint } from './kit/notice.ts';
import type { Place } from './place.ts';

/** Somebody who opened the link of an invitation. */
export interface Invited {
  readonly place: Place;
  readonly error: string | undefined;
  /** Once they have accepted it. It is shown only here. */
  readonly key: string | undefined;
  readonly accept: (name: string) => Promise<void>;
  /** Goes on to the pages with the key. */
  readonly enter: (key: string) => Promise<void>;
}

export function drawInvited({ place, error, key, accept, enter }: Invited): TemplateResult {
  const submit = (event: Event) => {
    event.preventDefault();
    const name = (event.target as HTMLFormElement).querySelector('input')?.value.trim() ?? '';
    if (name !== '') void accept(name);
  };
  const body =
    key === undefined
      ? html`<form @submit=${submit}>
          <label for="name">${t('Your name')}</label>
          <input id="name" class="field" autocomplete="name" maxlength="256" autofocus required
            aria-invalid=${error ? 'true' : nothing} aria-describedby=${error ? 'name-error' : nothing} />
          ${error ? html`<p id="name-error" class="wrong" role="alert">${error}</p>` : nothing}
          <button type="submit" class="button primary">${t('Accept invitation')}</button>
        </form>`
      : html`${hint(t('You will not be able to see it again because only its hash is stored.'), 'warning')}
          ${copyable(place, t('Your new key'), key, true)}
          <button type="button" class="button primary" @click=${() => void enter(key)}>${t('I have saved it')}</button>`;
  return html`<main class="sign-in">
    <div class="brand">${icon('circuit-board')}<span>Switchboard</span></div>
    <h1>${key === undefined ? t('You are invited to the gateway') : t('Copy the key now')}</h1>
    ${body}
  </main>`;
}
