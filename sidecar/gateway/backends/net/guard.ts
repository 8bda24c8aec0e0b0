import { lookup as systemLookup } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { Fault } from '../../../platform/faults.ts';
import type { Timers } from '../../../platform/timers.ts';
import { classifyAddress } from './addresses.ts';

/** Where requests of one registration may go. Set by whoever registers, never by a caller. */
export interface AddressPolicy {
  /** Loopback, private networks and plain http. Link-local and metadata addresses stay forbidden. */
  readonly allowPrivate: boolean;
}

/** As `dns.lookup` with `all: true`: every address of a name. Handed in by tests. */
export type LookupAll = (
  hostname: string,
  done: (error: NodeJS.ErrnoException | null, addresses: readonly { address: string; family: number }[]) => void,
) => void;

export const lookupAll: LookupAll = (hostname, done) =>
  systemLookup(hostname, { all: true }, (error, addresses) => done(error, addresses ?? []));

/**
 * Reads an address that requests may be sent to. Every literal form of an IP address (decimal, octal, hex, mapped) has
 * its one spelling afterwards. Names are judged when they are resolved, by the connection.
 * @param field the name of the field it came from, for the message
 * @throws {Fault} `invalid_params` for what is no http address, `forbidden` for one that is not allowed
 */
export function readTarget(text: string, policy: AddressPolicy, field = 'url'): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol !== 'https:' && url?.protocol !== 'http:') {
    throw new Fault('invalid_params', `'${field}' must be an http or https URL.`, { data: { field } });
  }
  if (url.username !== '' || url.password !== '') {
    throw new Fault('invalid_params', `'${field}' must not contain a username or password.`, { data: { field } });
  }
  const literal = literalOf(url.hostname);
  if (literal !== undefined && !isAllowed(literal, policy)) throw refused(field, literal);
  return url;
}

/** Answers only addresses that may be connected to; a name without any is refused. */
export function guardedLookup(policy: AddressPolicy, resolve: LookupAll): LookupFunction {
  return (hostname, options, callback) => {
    resolve(hostname, (error, found) => {
      const wanted = options.family === 4 || options.family === 6 ? options.family : undefined;
      const addresses = found.filter((it) => wanted === undefined || it.family === wanted);
      const allowed = addresses.filter((it) => isAllowed(it.address, policy));
      const [first] = allowed;
      if (error || !first) {
        const [wrong] = addresses;
        callback(error ?? (wrong ? refused('url', wrong.address) : notFound()), '', 0);
      } else if (options.all) callback(null, [...allowed]);
      else callback(null, first.address, first.family);
    });
  };
}

export function isAllowed(address: string, { allowPrivate }: AddressPolicy): boolean {
  const found = classifyAddress(address);
  return found === 'public' || (found === 'private' && allowPrivate);
}

/** `URL` has canonicalised it: brackets are left, and the dot that may end a name. */
export function literalOf(hostname: string): string | undefined {
  const bare = hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
  return isIP(bare) === 0 ? undefined : bare;
}

export const refused = (field: string, address: string) =>
  new Fault(
    'forbidden',
    classifyAddress(address) === 'private'
      ? "This backend's address is on this machine or a private network, and its registration does not allow that. To allow it, set 'allow_private_network'."
      : "This backend's address is in a range that is always blocked, such as cloud metadata addresses.",
    { data: { reason: 'address_refused', field } },
  );

/** How long a name may take to be resolved when something is registered. */
const NAME_MS = 2_000;

/**
 * Refuses an address on this machine or in a private network when it is registered, so that nobody learns it from the first
 * call. A name that cannot be resolved now is judged when it is used.
 * @param field where that is allowed
 * @throws {Fault} `invalid_params` naming the field
 */
export async function checkNetwork(
  text: string,
  { allowPrivate }: AddressPolicy,
  { lookup, timers }: { readonly lookup: LookupAll; readonly timers: Pick<Timers, 'after'> },
  field: string,
): Promise<void> {
  if (allowPrivate || !/^https?:/i.test(text) || !URL.canParse(text)) return;
  const { hostname } = new URL(text);
  const literal = literalOf(hostname);
  const addresses = literal === undefined ? await addressesOf(hostname, lookup, timers) : [literal];
  const classes = addresses.map(classifyAddress);
  if (!classes.includes('private') || classes.includes('public')) return;
  throw new Fault(
    'invalid_params',
    `This address is on this machine or a private network, so every call would be refused. Set '${field}' to true to allow it.`,
    { data: { field } },
  );
}

function addressesOf(hostname: string, lookup: LookupAll, timers: Pick<Timers, 'after'>): Promise<readonly string[]> {
  return new Promise((done) => {
    const stop = timers.after(NAME_MS, () => done([]));
    lookup(hostname, (_, found) => {
      stop();
      done(found.map((it) => it.address));
    });
  });
}

const notFound = () => Object.assign(new Error('no address was found for the hostname'), { code: 'ENOTFOUND' });
