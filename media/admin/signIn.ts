import { html, nothing, type TemplateResult } from 'lit';
import { icon } from '../shared/icon.ts';
import { t } from '../shared/l10n.ts';

/**
 * The way in. The key goes to the gateway once, which answers with a cookie that no script can read.
 *
 * @param asks false in a webview, where the extension holds the key and nothing is typed into the page
 */
export function drawSignIn(
  error: string | undefined,
  signIn: (key: string) => Promise<void>,
  asks: boolean,
): TemplateResult {
  const submit = (event: Event) => {
    event.preventDefault();
    const field = (event.target as HTMLFormElement).querySelector('input');
    const key = field?.value.trim() ?? '';
    if (key !== '') void signIn(key);
    else field?.focus();
  };
  return html`<main class="sign-in">
    <div class="brand">${icon('circuit-board')}<span>Switchboard</span></div>
    <h1>${t('Sign in to the gateway')}</h1>
    ${
      asks
        ? html`<form @submit=${submit}>
          <label for="key">${t('Virtual key')}</label>
          <input id="key" class="field" type="password" autocomplete="current-password" placeholder="sk-…" autofocus required
            spellcheck="false" aria-invalid=${error ? 'true' : nothing} aria-describedby="key-help ${error ? 'key-error' : ''}" />
          ${error ? html`<p id="key-error" class="wrong" role="alert">${error}</p>` : nothing}
          <p id="key-help" class="muted">${t("With an administrator key, you can see every page. With any other key, you can see only that key's data.")}</p>
          <button type="submit" class="button primary">${t('Sign in')}</button>
        </form>`
        : html`<p>${t('VS Code has no key that the gateway accepts. Restart the gateway from the Gateway view.')}</p>`
    }
  </main>`;
}
