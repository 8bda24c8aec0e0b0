/** The request line and all headers of a POST except `content-length`, in Latin-1. */
type Head = string;

/** Headers that control how a message is transferred. {@link headOf} does not accept them. */
const ofTransfer: ReadonlySet<string> = new Set([
  'connection',
  'content-length',
  'expect',
  'host',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);
const namePattern = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const valuePattern = /^[\t\x20-\x7e\x80-\xff]*$/;
const pathPattern = /^\/[\x21-\x7e]*$/;

type Headers = Readonly<Record<string, string>>;
/** All calls of a session are sent with the same headers object, which is never changed. */
const lastHeads = new WeakMap<Headers, { readonly path: string; readonly host: string; readonly head: Head }>();

/** @returns `undefined` if the request is unusual, or if it is malformed */
export function headOf(host: string, path: string, headers: Headers): Head | undefined {
  const last = lastHeads.get(headers);
  if (last?.path === path && last.host === host) return last.head;
  if (!pathPattern.test(path)) return undefined;
  let head = `POST ${path} HTTP/1.1\r\nhost: ${host}\r\nconnection: keep-alive\r\n`;
  for (const name in headers) {
    const value = headers[name] as unknown;
    if (typeof value !== 'string' || !valuePattern.test(value)) return undefined;
    if (!namePattern.test(name) || ofTransfer.has(name.toLowerCase())) return undefined;
    head += `${name}: ${value}\r\n`;
  }
  lastHeads.set(headers, { path, host, head });
  return head;
}
