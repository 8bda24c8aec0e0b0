import type { Routes } from '../gateway.ts';
import type { Option } from '../kit/select.ts';
import { visible } from './lookups.ts';

/** Suggestions at once. */
const MOST = 20;

/** Finds keys by their names. */
export const keyFinder =
  (routes: Routes) =>
  async (search: string): Promise<readonly Option[]> => {
    const found = await visible(routes.keys({ search, page: 1, size: MOST }).then((it) => it.rows));
    return found.flatMap((it) => (it.key_alias ? [{ value: it.key_alias, label: it.key_name }] : []));
  };

/** Finds end users by ID and name. The gateway answers them all, so it is asked once. */
export function endUserFinder(routes: Routes): (text: string) => Promise<readonly Option[]> {
  let all: ReturnType<typeof read> | undefined;
  const read = () => visible(routes.endUsers());
  return async (text) => {
    all ??= read();
    const words = text.toLowerCase();
    const found = (await all).filter((it) => `${it.user_id} ${it.alias ?? ''}`.toLowerCase().includes(words));
    return found.slice(0, MOST).map((it) => ({ value: it.user_id, label: it.alias || it.user_id }));
  };
}
