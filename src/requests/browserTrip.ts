import type { BrowserSignIn, Granted } from '../oauth/oauthServer.ts';
import type { Callbacks } from './callbacks.ts';

/**
 * Sends a person to the page of a sign-in and waits until the browser comes back. It may do so before the editor says that the
 * page is open.
 * @throws the reason of `signal`, and what `finish` throws
 */
export async function browserTrip(
  begun: BrowserSignIn,
  callbacks: Pick<Callbacks, 'wait'>,
  openPage: (address: string) => Promise<void>,
  signal: AbortSignal,
): Promise<Granted> {
  const answer = callbacks.wait(begun.state, signal);
  answer.catch(() => undefined); // seen below
  await openPage(begun.url);
  return begun.finish(await answer);
}
