import { isIP } from 'node:net';
import { promisify } from 'node:util';
import { isRecord } from '../../platform/isRecord.ts';
import { classifyAddress } from '../backends/net/addresses.ts';
import { type LookupAll, readTarget } from '../backends/net/guard.ts';
import { foldName } from '../wire/fold.ts';

/**
 * Checks the addresses that an agent is asked to call (`security.inside-notifications`): they are https and lead to
 * public networks alone, by whatever name. The agent makes the calls, so it has to check again where a name leads
 * later.
 *
 * @param holder what holds them: a push notification config, or the configuration of a message. Any member `url`
 *   counts, however deep and in whatever case, since readers differ in the names around it
 * @returns what is wrong with one of them, as a sentence; `undefined` where nothing is
 */
export async function refusedWebhook(holder: unknown, lookup: LookupAll): Promise<string | undefined> {
  for (const url of urlsIn(holder)) {
    if (!(await mayBeCalled(url, lookup))) {
      return 'a push notification URL must use https and point to a public address';
    }
  }
  return undefined;
}

function* urlsIn(value: unknown): Generator<unknown> {
  if (Array.isArray(value)) for (const it of value) yield* urlsIn(it);
  if (!isRecord(value)) return;
  for (const [name, it] of Object.entries(value)) {
    if (foldName(name) === 'url') yield it;
    else yield* urlsIn(it);
  }
}

async function mayBeCalled(text: unknown, lookup: LookupAll): Promise<boolean> {
  if (typeof text !== 'string') return false;
  try {
    const url = readTarget(text, { allowPrivate: false });
    if (url.protocol !== 'https:') return false;
    const name = url.hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
    if (isIP(name) !== 0) return true;
    const addresses = await promisify(lookup)(name);
    return addresses.length > 0 && addresses.every((it) => classifyAddress(it.address) === 'public');
  } catch {
    return false; // no address, not allowed, or a name that leads nowhere: the caller is answered the same way
  }
}
