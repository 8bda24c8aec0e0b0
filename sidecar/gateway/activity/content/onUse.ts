import type { GatewayStore } from '../../storage/store.ts';
import type { ContentOptions, Contents } from './contents.ts';

/** Loaded only where requests and responses are stored. @param adminKey taken out of them */
export async function contentsOf(
  { content, adminKey }: { readonly content?: ContentOptions | undefined; readonly adminKey?: string | undefined },
  store: Pick<GatewayStore, 'callContents'>,
): Promise<{ readonly contents?: Contents }> {
  if (!content) return {};
  const { Contents: Opened } = await import('./contents.ts');
  return { contents: new Opened(content, store, adminKey === undefined ? [] : [adminKey]) };
}
