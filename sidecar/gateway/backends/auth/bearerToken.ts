import { bearerToken as definition } from '../../../protocol/gateway/authTypes/bearerToken.ts';
import { staticValue, withoutScheme } from './staticValue.ts';

/** `Authorization: Bearer V`. A `Bearer` that the value has already is not doubled. */
export const bearerToken = staticValue(definition, (value) => `Bearer ${withoutScheme(value, 'bearer')}`);
