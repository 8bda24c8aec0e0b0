/** What a browser shows after it went somewhere. */
export interface Shown {
  readonly url: string;
  readonly status: number;
  readonly text: string;
  readonly headers: Headers;
}

const plainText = (text: string) => text.replace(/&#(\d+);/g, (_, code: string) => String.fromCharCode(Number(code)));

/**
 * As much of a browser as pages without scripts need: cookies of each host with their paths and sites, redirects, forms, and
 * pages that send on. It stops in front of addresses that begin with one of `ends`.
 */
export class PageBrowser {
  readonly #cookies = new Map<string, Map<string, string>>();
  readonly #ends: readonly string[];
  readonly visited: string[] = [];

  constructor(...ends: readonly string[]) {
    this.#ends = ends;
  }

  open(url: string): Promise<Shown> {
    return this.#go(url, { method: 'GET' });
  }

  /** Fills in and sends the only form of a page, as one of its buttons would. */
  async send(
    page: Shown,
    fields: Readonly<Record<string, string>>,
    headers: Record<string, string> = {},
  ): Promise<Shown> {
    const form = new URLSearchParams(fields);
    const hidden = /<input type="hidden" name="form" value="([^"]*)">/.exec(page.text);
    if (!form.has('form') && hidden) form.set('form', plainText(hidden[1] ?? ''));
    const own = { origin: new URL(page.url).origin, 'sec-fetch-site': 'same-origin', ...headers };
    return this.#go(page.url, { method: 'POST', body: form.toString(), headers: own });
  }

  cookies(host: string): string {
    return [...(this.#cookies.get(host) ?? [])].map(([name, value]) => `${name}=${value}`).join('; ');
  }

  async #go(url: string, init: { method: string; body?: string; headers?: Record<string, string> }): Promise<Shown> {
    if (this.#ends.some((it) => url.startsWith(it))) return { url, status: 0, text: '', headers: new Headers() };
    if (this.visited.push(url) > 40) throw new Error('the pages go round in circles');
    const { host } = new URL(url);
    const form = init.body !== undefined && { 'content-type': 'application/x-www-form-urlencoded' };
    const response = await fetch(url, {
      ...init,
      redirect: 'manual',
      headers: { cookie: this.cookies(host), ...form, ...init.headers },
    });
    this.#keep(host, response.headers.getSetCookie());
    const location = response.headers.get('location');
    const text = await response.text();
    if (location !== null && response.status < 400) return this.#go(new URL(location, url).href, { method: 'GET' });
    const sent = /<meta http-equiv="refresh" content="0; url=([^"]*)">/.exec(text);
    if (sent) return this.#go(plainText(sent[1] ?? ''), { method: 'GET' });
    return { url, status: response.status, text, headers: response.headers };
  }

  #keep(host: string, lines: readonly string[]): void {
    const jar = this.#cookies.get(host) ?? new Map<string, string>();
    this.#cookies.set(host, jar);
    for (const line of lines) {
      const [pair = '', ...attributes] = line.split(';');
      const name = pair.slice(0, pair.indexOf('='));
      if (attributes.some((it) => it.trim().toLowerCase() === 'max-age=0')) jar.delete(name);
      else jar.set(name, pair.slice(name.length + 1));
    }
  }
}
