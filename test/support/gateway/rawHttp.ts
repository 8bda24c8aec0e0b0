import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** What came back on a socket, read as one HTTP/1.1 answer. */
export interface RawReply {
  /** 0 where the socket was closed without an answer. */
  readonly status: number;
  /** Names in lower case. */
  readonly headers: ReadonlyMap<string, string>;
  /** Chunks are put together. */
  readonly body: string;
  /** How many answers came on the socket. */
  readonly answers: number;
}

/** The lines of a request, `Host` among them; each test adds what no HTTP client would send. */
export const requestLines = (base: string, firstLine: string, headers: readonly string[], body = ''): string =>
  `${[firstLine, `Host: ${new URL(base).host}`, 'Connection: close', ...headers].join('\r\n')}\r\n\r\n${body}`;

export async function openSocket(base: string): Promise<Socket> {
  const { hostname, port } = new URL(base);
  const socket = connect({ host: hostname, port: Number(port) });
  await once(socket, 'connect');
  return socket;
}

/**
 * Writes these bytes as they are, and reads until the gateway closes.
 *
 * @param leavesStreams closes the socket itself at the head of a stream of events, which may never end
 */
export async function speak(base: string, bytes: string | Uint8Array, leavesStreams = false): Promise<RawReply> {
  const socket = await openSocket(base);
  const chunks: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => {
    chunks.push(chunk);
    if (leavesStreams && streamHead.test(Buffer.concat(chunks).toString('latin1'))) socket.destroy();
  });
  // A gateway that refuses may close before everything was written.
  socket.on('error', () => undefined);
  socket.write(bytes);
  await new Promise<void>((resolve) => {
    socket.once('close', () => resolve());
  });
  return readReply(Buffer.concat(chunks).toString('latin1'));
}

const streamHead = /^content-type: text\/event-stream[\s\S]*\r\n\r\n/im;

function readReply(text: string): RawReply {
  const answers = text.match(/^HTTP\/1\.1 /gm)?.length ?? 0;
  const end = text.indexOf('\r\n\r\n');
  if (end === -1) return { status: 0, headers: new Map(), body: '', answers };
  const [first = '', ...lines] = text.slice(0, end).split('\r\n');
  const headers = new Map(
    lines.map((it) => [it.slice(0, it.indexOf(':')).toLowerCase(), it.slice(it.indexOf(':') + 1).trim()] as const),
  );
  const rest = text.slice(end + 4);
  const body = headers.get('transfer-encoding') === 'chunked' ? unchunked(rest) : rest;
  return { status: Number(first.split(' ')[1]), headers, body, answers };
}

function unchunked(text: string): string {
  let whole = '';
  for (let at = 0; at < text.length; ) {
    const end = text.indexOf('\r\n', at);
    const size = Number.parseInt(text.slice(at, end), 16);
    if (end === -1 || !(size > 0)) break;
    whole += text.slice(end + 2, end + 2 + size);
    at = end + 2 + size + 2;
  }
  return whole;
}
