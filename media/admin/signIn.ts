import { html, nothing, type TemplateResult } from 'lit';
import { icon } from '../shared/icon.ts';
import { t } from '../shared/l10n.ts';

/** How people may sign in. */
export interface WaysIn {
  /** What the identity provider is called; null where there is none. */
  readonly provider: string | null;
  /** Whether keys sign in. */
  readonly keys: boolean;
}

interface SignInPage {
  readonly error: string | undefined;
  /** Absent in a webview, where the extension holds the key and nothing is typed into the page. */
  readonly ways: WaysIn | undefined;
  readonly withKey: (key: string) => Promise<void>;
  readonly withProvider: () => Promise<void>;
}

/** The way in. The key goes to the gateway once, which answers with a cookie that no script can read. */
export function drawSignIn({ error, ways, withKey, withProvider }: SignInPage): TemplateResult {
  return html`<main class="sign-in">
    <div class="brand">${icon('circuit-board')}<span>Switchboard</span></div>
    <h1>${t('Sign in to the gateway')}</h1>
    ${
      ways?.provider == null
        ? nothing
        : html`<button type="button" class="button ${ways.keys ? '' : 'primary'}" @click=${() => void withProvider()}>
            ${t('Sign in with {0}', ways.provider)}</button>
          ${ways.keys ? html`<p class="or muted">${t('or with a virtual key')}</p>` : nothing}`
    }
    ${ways && !ways.keys && error ? html`<p class="wrong" role="alert">${error}</p>` : nothing}
    ${ways?.keys ? keyForm(error, withKey) : nothing}
    ${ways ? nothing : html`<p>${t('VS Code has no key that the gateway accepts. Restart the gateway from the Gateway view.')}</p>`}
  </main>`;
}

function keyForm(error: string | undefined, signIn: (key: string) => Promise<void>): TemplateResult {
  const submit = (event: Event) => {
    event.preventDefault();
    const field = (event.target as HTMLFormElement).querySelector('input');
    const key = field?.value.trim() ?? '';
    if (key !== '') void signIn(key);
    else field?.focus();
  };
  return html`<form @submit=${submit}>
    <label for="key">${t('Virtual key')}</label>
    <input id="key" class="field" type="password" autocomplete="current-password" placeholder="sk-…" autofocus required
      spellcheck="false" aria-invalid=${error ? 'true' : nothing} aria-describedby="key-help ${error ? 'key-error' : ''}" />
    ${error ? html`<p id="key-error" class="wrong" role="alert">${error}</p>` : nothing}
    <p id="key-help" class="muted">${t("With an administrator key, you can see every page. With any other key, you can see only that key's data.")}</p>
    <button type="submit" class="button primary">${t('Sign in')}</button>
  </form>`;
}
