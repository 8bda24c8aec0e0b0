import type { HostPort } from './port.ts';

/** The state of a channel that nobody may hold yet; of a chat, only its end. @throws when it did not come within `timeoutMs` */
export async function whenShown<S>(port: HostPort, uri: string, timeoutMs = 10_000): Promise<S> {
  const view = port.open<S>(uri, { turns: 1 });
  try {
    return await new Promise<S>((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error(`The host did not answer for ${uri}.`)), timeoutMs);
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
