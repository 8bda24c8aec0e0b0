import type { HostPort } from './port.ts';

const TIMEOUT_MS = 10_000;

/**
 * The state of a channel that nobody may hold yet.
 * @param options of a chat, about so many of its newest `turns`
 * @throws when it did not come within ten seconds
 */
export async function whenShown<S>(port: Pick<HostPort, 'open'>, uri: string, { turns } = { turns: 1 }): Promise<S> {
  const view = port.open<S>(uri, { turns });
  try {
    return await new Promise<S>((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error(`The host did not answer for ${uri}.`)), TIMEOUT_MS);
      const look = () => {
        const { shown } = view;
        if (shown === undefined) return;
        clearTimeout(timer);
        resolve(shown);
      };
      view.onDidChange(look);
      look();
    });
  } finally {
    view.dispose();
  }
}
