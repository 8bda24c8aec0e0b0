/** Follows redirects with cookies, as a browser does, and shows nothing. */
class CookieBrowser {
  readonly #cookies = new Map<string, string>();

  /** @param until an address that is not opened any more. @returns the page, or that address */
  async open(url: string, form?: Readonly<Record<string, string>>, until?: string): Promise<string> {
    let at = url;
    let body = form && new URLSearchParams(form);
    for (let hops = 0; hops < 12; hops += 1) {
      const cookie = [...this.#cookies].map(([name, value]) => `${name}=${value}`).join('; ');
      const response = await fetch(at, {
        redirect: 'manual',
        headers: { cookie },
        ...(body && { method: 'POST', body }),
      });
      for (const line of response.headers.getSetCookie()) {
        const [pair = ''] = line.split(';');
        this.#cookies.set(pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1));
      }
      const location = response.headers.get('location');
      const page = await response.text();
      if (location === null) {
        if (until === undefined) return page;
        throw new Error(`${at} answered ${response.status}: ${page}`);
      }
      at = new URL(location, at).href;
      if (until !== undefined && at.startsWith(until)) return at;
      body = undefined;
    }
    throw new Error('the sign-in goes round in circles');
  }
}

/**
 * Follows a sign-in as a browser does, with cookies, until it is sent to the callback.
 * @returns the query that arrives there
 */
export async function signInWithBrowser(url: string, callback: string): Promise<URLSearchParams> {
  return new URL(await new CookieBrowser().open(url, undefined, callback)).searchParams;
}

/**
 * Enters a code where the server said, and answers whether it is the person's own.
 * @returns the page that is shown then
 */
export async function enterCode(url: string, userCode: string, answer: 'confirm' | 'abort'): Promise<string> {
  const browser = new CookieBrowser();
  const form = await browser.open(url);
  const hidden = (page: string, name: string) => new RegExp(`name="${name}" value="([^"]*)"`).exec(page)?.[1] ?? '';
  const action = /action="([^"]+)"/.exec(form)?.[1] ?? url;
  const asked = await browser.open(action, { xsrf: hidden(form, 'xsrf'), user_code: userCode });
  return browser.open(action, { xsrf: hidden(asked, 'xsrf'), user_code: userCode, [answer]: 'yes' });
}
