import * as z from 'zod';
import { Fault, type FaultCode } from '../platform/faults.ts';
import { shownText } from '../platform/shownText.ts';

/** The formats in which the gateway, or a service behind it, refuses a call. */
const Refusal = z.union([
  z.object({ error: z.object({ message: z.string() }) }).transform((it) => it.error.message),
  z.object({ detail: z.string() }).transform((it) => it.detail),
  z.object({ detail: z.object({ error: z.string() }) }).transform((it) => it.detail.error),
]);
const codes: Readonly<Record<number, FaultCode>> = {
  401: 'forbidden',
  403: 'forbidden',
  404: 'not_found',
  409: 'conflict',
  429: 'rate_limited',
};

/**
 * Why a call through the gateway was not completed, for the user.
 *
 * @param response its status is not 2xx; its body has not been read
 * @param name of the agent that was called
 */
export async function refusalOf(response: Response, name: string): Promise<Fault> {
  const text = await response.text().catch(() => ''); // the status is reported instead
  const { data: why } = Refusal.safeParse(parsed(text));
  return new Fault(
    codes[response.status] ?? 'unavailable',
    `The gateway did not complete the call to ${name}: ${why === undefined ? `HTTP ${response.status}` : shownText(why, 500)}`,
  );
}

/** @returns `undefined` for text that is not JSON: the schema that reads the value reports the error */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
