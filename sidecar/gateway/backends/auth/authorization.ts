import { authorization as definition } from '../../../protocol/gateway/authTypes/authorization.ts';
import { staticValue } from './staticValue.ts';

/** `Authorization: V`. The operator writes the whole value. */
export const authorization = staticValue(definition, (value) => value);
