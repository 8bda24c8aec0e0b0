import type { Timers } from '../../../platform/timers.ts';
import type { GatewayStore } from '../../storage/store.ts';
import type { ContentOptions, Contents } from './contents.ts';

/** Loaded only where requests and responses are stored. @param adminKey taken out of them */
export async function contentsOf(
  { content, adminKey }: { readonly content?: ContentOptions | undefined; readonly adminKey?: string | undefined },
  store: Pick<GatewayStore, 'callContents'>,
  timers: Timers,
): Promise<{ readonly contents?: Contents }> {
  if (!content) return {};
  const { Contents: Opened } = await import('./contents.ts');
  return { contents: new Opened(content, store, timers, adminKey === undefined ? [] : [adminKey]) };
}
