import { staticValue, withoutScheme } from './staticValue.ts';

/** `Authorization: token V`, the scheme word in lower case. */
export const token = staticValue('authorization', (value) => `token ${withoutScheme(value, 'token', 'bearer')}`);
