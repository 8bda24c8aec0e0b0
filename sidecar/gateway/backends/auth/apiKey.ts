import { staticValue } from './staticValue.ts';

/** `X-API-Key: V` (completion 1.9). */
export const apiKey = staticValue('x-api-key', (value) => value);
