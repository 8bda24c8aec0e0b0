import type { Caller } from '../auth/caller.ts';

/** Whose stored tokens and values are used: the user of the key, else the key, which keeps its id when it is rotated. */
export const personOf = ({ key }: Caller): string => key.user_id ?? `key:${key.token_id}`;
