import assert from 'node:assert/strict';
import type { Socket } from 'node:net';
import { beforeEach, describe, it } from 'mocha';
import { EarlierHeaders } from '../../../../../sidecar/gateway/http/earlierHeaders.ts';

const raw = (key: string, length = '9') => [
  'Host',
  'gateway.test',
  'Authorization',
  `Bearer ${key}`,
  'Content-Length',
  length,
];

describe('the headers of a request', () => {
  let earlier: EarlierHeaders;
  beforeEach(() => {
    earlier = new EarlierHeaders();
  });
  const connection = (remoteAddress?: string) => ({ remoteAddress }) as Socket;
  const read = (socket: Socket, rawHeaders: string[]) => earlier.read({ socket, rawHeaders });

  it('are shared by the connections of an address, each with its own body length', () => {
    const first = read(connection('192.0.2.1'), raw('k', '1'));
    const second = read(connection('192.0.2.1'), raw('k', '22'));
    assert.equal(second.alike, first.alike);
    assert.deepEqual([first.get('content-length'), second.get('content-length')], ['1', '22']);
  });

  it('are not shared with another address that sends the same ones', () => {
    const first = read(connection('192.0.2.1'), raw('k'));
    assert.notEqual(read(connection('192.0.2.2'), raw('k')).alike, first.alike);
  });

  it('are not shared with another key from the same address', () => {
    const first = read(connection('192.0.2.1'), raw('k'));
    const other = read(connection('192.0.2.1'), raw('other'));
    assert.notEqual(other.alike, first.alike);
    assert.equal(other.get('authorization'), 'Bearer other');
  });

  it('are shared on a connection even if other connections of the address sent other headers in between', () => {
    const [one, two] = [connection('192.0.2.1'), connection('192.0.2.1')];
    const first = read(one, raw('k'));
    const other = read(two, raw('other'));
    assert.equal(read(one, raw('k')).alike, first.alike);
    assert.equal(read(two, raw('other')).alike, other.alike);
  });

  it('are not shared between connections without an address', () => {
    const first = read(connection(), raw('k'));
    assert.notEqual(read(connection(), raw('k')).alike, first.alike);
  });
});
