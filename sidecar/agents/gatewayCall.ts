import * as z from 'zod';
import { Fault, type FaultCode } from '../platform/faults.ts';
import { parsedJson } from '../platform/json.ts';
import { shownText } from '../platform/shownText.ts';
import type { SessionContext } from './provider.ts';
import type { RemoteAccess, RemoteService } from './remoteAccess.ts';

/**
 * Where the gateway is, for one turn of an agent that is called through it.
 *
 * @param name of the agent
 * @throws {Fault} `unavailable` if the gateway is not running
 */
export async function accessTo(context: SessionContext, service: RemoteService, name: string): Promise<RemoteAccess> {
  const access = await context.remote?.(service);
  if (access) return access;
  throw new Fault(
    'unavailable',
    `${name} is reached through the gateway, which is not running. Start the gateway, and then try again.`,
  );
}

/** What each call has. The key does not reach the agent. */
export const headersOf = ({ key, session }: RemoteAccess): Readonly<Record<string, string>> => ({
  'x-gateway-api-key': `Bearer ${key}`,
  'x-gateway-session-id': session,
});

/** The connection failed, or was lost before the response was complete. */
export const unreachable = (name: string, cause: unknown): Fault =>
  new Fault('unavailable', `${name} could not be reached through the gateway. Try again.`, { cause });

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
  const { data: why } = Refusal.safeParse(parsedJson(text));
  return new Fault(
    codes[response.status] ?? 'unavailable',
    `The gateway did not complete the call to ${name}: ${why === undefined ? `HTTP ${response.status}` : shownText(why, 500)}`,
  );
}
