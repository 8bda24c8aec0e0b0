import { staticValue, withoutScheme } from './staticValue.ts';

/** `Authorization: Bearer V`. A `Bearer` that the value has already is not doubled. */
export const bearerToken = staticValue('authorization', (value) => `Bearer ${withoutScheme(value, 'bearer')}`);
