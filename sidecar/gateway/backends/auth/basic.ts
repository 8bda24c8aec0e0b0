import { basic as definition } from '../../../protocol/gateway/authTypes/basic.ts';
import { staticValue, withoutScheme } from './staticValue.ts';

/**
 * `Authorization: Basic base64(V)`. `user:pass` is encoded; a value after the word `Basic` that is base64 stays as it
 * is.
 */
export const basic = staticValue(definition, (value) => {
  const bare = withoutScheme(value, 'basic');
  const isEncoded = bare !== value && isBase64(bare);
  return `Basic ${isEncoded ? bare : Buffer.from(bare, 'utf8').toString('base64')}`;
});

function isBase64(text: string): boolean {
  return text.length % 4 === 0 && /^[A-Za-z0-9+/]+={0,2}$/.test(text);
}
