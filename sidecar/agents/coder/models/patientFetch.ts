import { request as requestPlain } from 'node:http';
import { request as requestSecure } from 'node:https';
import { Readable } from 'node:stream';

/**
 * `fetch` without the limit of 5 minutes on the time until the response begins. A call that exceeds a budget waits at the gateway
 * until the user answers.
 *
 * @throws {Error} if the connection fails, or the signal aborts
 */
export const patientFetch: typeof fetch = (input, init = {}) => {
  const url = new URL(input instanceof Request ? input.url : input);
  const request = url.protocol === 'https:' ? requestSecure : requestPlain;
  const { method = 'GET', body, signal } = init;
  const headers = Object.fromEntries(new Headers(init.headers));
  return new Promise((resolve, reject) => {
    const sent = request(url, { method, headers, ...(signal && { signal }) }, (response) => {
      const { statusCode: status = 500, statusMessage: statusText = '' } = response;
      const received = new Headers();
      for (const [name, values] of Object.entries(response.headersDistinct))
        for (const value of values ?? []) received.append(name, value);
      const isEmpty = status === 204 || status === 304;
      if (isEmpty) response.resume();
      const content = isEmpty ? null : (Readable.toWeb(response) as ReadableStream<Uint8Array>);
      resolve(new Response(content, { status, statusText, headers: received }));
    });
    sent.on('error', reject); // an error after the response has begun reaches the reader of the body
    sent.end(typeof body === 'string' ? body : undefined);
  });
};
