import { staticValue } from './staticValue.ts';

/** `X-API-Key: V`. */
export const apiKey = staticValue('x-api-key', (value) => value);
