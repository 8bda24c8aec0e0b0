import type { SmallAnswer, SmallFetch, SmallRequest } from '../../../sidecar/gateway/backends/net/smallFetch.ts';

export interface Asked {
  readonly method: SmallRequest['method'];
  readonly url: string;
  readonly form: Readonly<Record<string, string>>;
  readonly headers: Headers;
}
type Answer = object | string | Error;

/** Authorization servers in one process: what each was asked, and what they answer when the test says so. */
export class TokenEndpoint {
  readonly asked: Asked[] = [];
  /** What is answered to the address, at once or later. Default: 404. A text is the body as it is, an error breaks the connection. */
  answer: (asked: Asked) => Answer | undefined | Promise<Answer | undefined> = () => undefined;
  status = 200;

  readonly fetch: SmallFetch = async ({ method, url, body, headers }): Promise<SmallAnswer> => {
    const form = Object.fromEntries(new URLSearchParams(body));
    const one = { method, url, form, headers: new Headers(headers) };
    this.asked.push(one);
    const answer = await this.answer(one);
    if (answer instanceof Error) throw answer;
    if (answer === undefined) return { status: 404, headers: {}, text: '' };
    const text = typeof answer === 'string' ? answer : JSON.stringify(answer);
    return { status: this.status, headers: { 'content-type': 'application/json' }, text };
  };
}
