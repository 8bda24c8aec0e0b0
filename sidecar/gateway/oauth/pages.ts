import { html, type PageMore, page } from './html.ts';

const MAX_NAMES = 20;

/** Asks for the key that the person's access comes from. */
export function signInPage(form: string, client: string, problem: string | undefined, more: PageMore): Response {
  return page(
    'Sign in',
    html`<p>${client} wants to use your MCP servers. It cannot see what you type here.</p>${problem === undefined ? undefined : html`<p role="alert">${problem}</p>`}<form method="post"><input type="hidden" name="form" value="${form}"><label for="key">Your virtual key</label><input id="key" name="key" type="password" autocomplete="off" spellcheck="false" required autofocus><button>Sign in</button></form>`,
    more,
  );
}

export interface Consent {
  readonly form: string;
  /** The program, as it calls itself. */
  readonly client: string;
  /** Where it is answered. */
  readonly place: string;
  /** Whose access it gets. */
  readonly key: string;
  /** Servers that it may use. */
  readonly servers: readonly string[];
  /** The server that the person has to sign in to next. */
  readonly next: string | undefined;
}

/** The person is asked every time: a consent of before lets nobody in later (`security.confused-deputy`). */
export function consentPage({ form, client, place, key, servers, next }: Consent, more: PageMore): Response {
  const shown = servers.slice(0, MAX_NAMES).map((it) => html`<li>${it}</li>`);
  const hidden = servers.length - shown.length;
  const list = servers.length === 0 ? html`<p>No servers yet.</p>` : html`<ul>${shown}</ul>`;
  return page(
    `Let ${client} use your MCP servers?`,
    html`<dl><dt>Redirects to</dt><dd>${place}</dd><dt>Uses the permissions of</dt><dd>${key}</dd></dl><p>It identifies itself as ${client}, but this name has not been verified. Allow access only if you just started this sign-in.</p><p>It can use the tools on these servers:</p>${list}${hidden > 0 ? html`<p>and ${String(hidden)} more.</p>` : undefined}${next === undefined ? undefined : html`<p>Next, you will sign in to ${next}.</p>`}${choice(form, 'Allow', 'Deny')}`,
    more,
  );
}

/** Before a sign-in at a server begins that somebody may have sent a link to. */
export function connectPage(form: string, server: string, key: string, more: PageMore): Response {
  return page(
    `Sign in to ${server}?`,
    html`<p>Anyone who has this key will be able to use the access that you grant there:</p><dl><dt>Key</dt><dd>${key}</dd></dl><p>Continue only if you just started this sign-in and the key is yours.</p>${choice(form, 'Continue', 'Cancel')}`,
    more,
  );
}

const choice = (form: string, yes: string, no: string) =>
  html`<form method="post"><input type="hidden" name="form" value="${form}"><button name="answer" value="allow">${yes}</button><button name="answer" value="deny">${no}</button></form>`;

/** Something is wrong, or done, and there is nothing to choose. @param next a way on, which the person follows */
export function messagePage(
  title: string,
  sentence: string,
  more: PageMore & { readonly next?: { readonly url: string; readonly label: string } } = {},
): Response {
  const { next } = more;
  const link = next && html`<p><a rel="noreferrer" href="${next.url}">${next.label}</a></p>`;
  return page(title, html`<p>${sentence}</p>${link}`, more);
}

/**
 * Leaves for another address after a form. A redirect would be held up by our own `form-action`, wherever it leads in the
 * end.
 */
export function leavePage(url: string, label: string, cookies: readonly string[] = []): Response {
  const head = html`<meta http-equiv="refresh" content="0; url=${url}">`;
  return messagePage('Redirecting', 'You are being redirected.', { head, cookies, next: { url, label } });
}
