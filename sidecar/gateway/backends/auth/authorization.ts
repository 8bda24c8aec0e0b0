import { staticValue } from './staticValue.ts';

/** `Authorization: V`: the whole value belongs to the operator (completion 1.9). */
export const authorization = staticValue('authorization', (value) => value);
