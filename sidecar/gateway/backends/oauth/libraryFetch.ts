import type { CustomFetch } from 'openid-client';
import type { SmallFetch } from '../net/smallFetch.ts';

/**
 * The guarded way to an authorization server, in the form that the library calls.
 * @param read changes the text of an answer before the library reads it
 */
export const libraryFetch =
  (fetch: SmallFetch, read = (text: string) => text): CustomFetch =>
  async (url, { method, headers, body }) => {
    const text = body instanceof URLSearchParams ? body.toString() : undefined;
    const answer = await fetch({
      method: method === 'POST' ? 'POST' : 'GET',
      url,
      headers,
      ...(text !== undefined && { body: text }),
    });
    const hasBody = ![101, 204, 205, 304].includes(answer.status);
    const kept = new Headers();
    for (const name of ['content-type', 'www-authenticate']) {
      const value = answer.headers[name];
      if (typeof value === 'string') kept.set(name, value);
    }
    return new Response(hasBody ? read(answer.text) : null, {
      status: Math.max(200, answer.status),
      headers: kept,
    });
  };
