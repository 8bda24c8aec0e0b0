import { staticValue, withoutScheme } from './staticValue.ts';

/** `Authorization: Bearer V`; a `Bearer` that is there already is not doubled (completion 1.9). */
export const bearerToken = staticValue('authorization', (value) => `Bearer ${withoutScheme(value, 'bearer')}`);
