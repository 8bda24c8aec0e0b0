import { apiKey as definition } from '../../../protocol/gateway/authTypes/apiKey.ts';
import { staticValue } from './staticValue.ts';

/** `X-API-Key: V`. */
export const apiKey = staticValue(definition, (value) => value);
