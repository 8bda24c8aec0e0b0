import { Fault } from '../../../platform/faults.ts';
import { type BackendBody, wholeText } from './answerBody.ts';

/**
 * Reads a small answer whole.
 * @throws {Fault} `unavailable` where it is longer than `maxBytes`; the rest is not read
 */
export async function readBody(body: BackendBody, maxBytes: number): Promise<string> {
  const text = await wholeText(body, maxBytes);
  if (text !== undefined) return text;
  throw new Fault('unavailable', `The backend returned more than ${maxBytes} bytes.`, {
    data: { reason: 'answer_too_long' },
  });
}
