import { URI } from 'vscode-uri';
import { Fault } from '../../platform/faults.ts';

export type ResourceUri =
  | { readonly kind: 'file'; readonly path: string }
  /** Of another scheme: content of the host, or what a client published. */
  | { readonly kind: 'other'; readonly scheme: string };

/**
 * What a URI names, after percent encoding and the case of the scheme are out of the way.
 * @param field named in the error
 * @throws {Fault} `invalid_params` for what is no URI, `forbidden` for files of other machines
 */
export function parseResourceUri(uri: string, field: string): ResourceUri {
  const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(uri)?.[1]?.toLowerCase();
  if (scheme === undefined) throw new Fault('invalid_params', `${field}: not a URI`);
  if (scheme !== 'file') return { kind: 'other', scheme };
  const parsed = parse(uri, field);
  if (parsed.query !== '' || parsed.fragment !== '') {
    throw new Fault('invalid_params', `${field}: a file URI must not have a query or fragment`);
  }
  if (parsed.authority !== '') throw unreachable();
  if (parsed.path.includes('\0')) throw new Fault('invalid_params', `${field}: not a file path`);
  if (process.platform === 'win32') requirePlainNames(parsed.fsPath, field);
  return { kind: 'file', path: parsed.fsPath };
}

/** No grant would help. */
export function unreachable(): Fault {
  return new Fault('forbidden', 'clients are not allowed to access this resource', { data: {} });
}

const devices = /^(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³])(?:\.|$)/i;

/**
 * Windows gives one file many names: streams (`a:b`), short names (`PROGRA~1`), dots and blanks at the end, devices.
 * @throws {Fault} `invalid_params`
 */
export function requirePlainNames(path: string, field: string): void {
  const names = path.replace(/^[a-z]:/i, '').split(/[\\/]/);
  const bad = names.some((it) => /[:*?"<>|]|~\d|[. ]$/.test(it) || devices.test(it));
  if (bad) throw new Fault('invalid_params', `${field}: contains a file name that is not allowed`);
}

function parse(uri: string, field: string): URI {
  try {
    return URI.parse(`file${uri.slice(4)}`);
  } catch (thrown) {
    throw new Fault('invalid_params', `${field}: not a URI`, { cause: thrown });
  }
}
