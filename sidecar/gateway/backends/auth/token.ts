import { token as definition } from '../../../protocol/gateway/authTypes/token.ts';
import { staticValue, withoutScheme } from './staticValue.ts';

/** `Authorization: token V`, the scheme word in lower case. */
export const token = staticValue(definition, (value) => `token ${withoutScheme(value, 'token', 'bearer')}`);
