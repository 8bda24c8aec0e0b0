import { chmodSync, rmSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';

/** Of the longest address, with its line end. */
const MAX_LINE = 64;
const LINE_END = 0x0a;

/**
 * Where workers hand over requests. A connection is for one request, and begins with a line that holds the address of the caller.
 *
 * @param pipe in a folder that only this user can open
 * @param serve gets connections that look as if callers had made them
 */
export function openPrivateDoor(pipe: string, serve: (socket: Socket) => void): Promise<{ close(): void }> {
  const server = createServer((socket) => {
    socket.on('error', () => socket.destroy());
    readLine(socket, (address) => {
      Object.defineProperty(socket, 'remoteAddress', { value: address });
      serve(socket);
    });
  });
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    rmSync(pipe, { force: true });
    server.listen(pipe, () => {
      if (!pipe.startsWith('\\\\')) chmodSync(pipe, 0o600);
      resolve({ close: () => void server.close() });
    });
  });
}

function readLine(socket: Socket, read: (line: string) => void): void {
  let bytes = Buffer.alloc(0);
  const look = () => {
    const chunk = socket.read() as Buffer | null;
    if (chunk) bytes = Buffer.concat([bytes, chunk]);
    const end = bytes.indexOf(LINE_END);
    if (end < 0 && bytes.length < MAX_LINE) return;
    socket.off('readable', look);
    if (end < 0 || end >= MAX_LINE) return void socket.destroy();
    if (end + 1 < bytes.length) socket.unshift(bytes.subarray(end + 1));
    read(bytes.toString('latin1', 0, end));
  };
  socket.on('readable', look);
}
