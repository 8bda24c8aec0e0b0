import { staticValue } from './staticValue.ts';

/** `Authorization: V`. The operator writes the whole value. */
export const authorization = staticValue('authorization', (value) => value);
