/**
 * Follows a sign-in as a browser does, with cookies, until it is sent to the callback.
 * @returns the query that arrives there
 */
export async function signInWithBrowser(url: string, callback: string): Promise<URLSearchParams> {
  const cookies = new Map<string, string>();
  let at = url;
  for (let hops = 0; hops < 12; hops += 1) {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const response = await fetch(at, { redirect: 'manual', headers: { cookie } });
    for (const line of response.headers.getSetCookie()) {
      const [pair = ''] = line.split(';');
      cookies.set(pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1));
    }
    const location = response.headers.get('location');
    if (location === null) throw new Error(`${at} answered ${response.status}: ${await response.text()}`);
    await response.body?.cancel();
    at = new URL(location, at).href;
    if (at.startsWith(callback)) return new URL(at).searchParams;
  }
  throw new Error('the sign-in goes round in circles');
}
