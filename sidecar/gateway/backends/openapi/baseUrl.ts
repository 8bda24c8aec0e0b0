import { isWebAddress } from '../registration.ts';
import { type ApiDocument, UnusableDocument } from './document.ts';

/** Where a document is, and what the registration says of where its requests go. */
export interface ApiPlace {
  /** An address, or a path of a file. */
  readonly spec: string;
  readonly url?: string | undefined;
}

/**
 * Where requests go, without a slash at the end: the registered `url`, or the document's server. A document names no
 * server at another origin than its own, because credentials are sent there: whoever writes the document would get them.
 * @throws {UnusableDocument} where the registration has to name it
 */
export function baseUrlOf({ server }: ApiDocument, { spec, url }: ApiPlace): URL {
  const from = isWebAddress(spec) ? spec : undefined;
  const base = url ?? server ?? '/';
  if (!URL.canParse(base, from))
    throw new UnusableDocument("The document does not name a server. Set 'url' to the address of the API.");
  const found = new URL(base, from);
  if (found.protocol !== 'https:' && found.protocol !== 'http:')
    throw new UnusableDocument(
      "The document's server is not an http or https URL. Set 'url' to the address of the API.",
    );
  if (url === undefined && from !== undefined && found.origin !== new URL(from).origin)
    throw new UnusableDocument(
      "The document names a server at another address than its own. If you trust that address, set 'url' to it.",
    );
  found.hash = '';
  found.username = '';
  found.password = '';
  found.pathname = found.pathname.replace(/\/+$/, '');
  return found;
}
