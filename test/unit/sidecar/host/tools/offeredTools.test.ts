import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { offeredTools } from '../../../../../sidecar/host/tools/offeredTools.ts';

describe('the tools that a session offers', () => {
  const tool = (name: string, _meta?: object) => ({
    name,
    inputSchema: { type: 'object' as const },
    ...(_meta && { _meta }),
  });
  const ofServer = (name: string) => tool(name, { customizationId: `of ${name}` });
  const client = (clientId: string, ...names: string[]) => ({
    clientId,
    displayName: clientId,
    tools: names.map((it) => tool(it)),
  });
  const offered = (serverTools: readonly object[], clients: readonly object[], starter?: string) =>
    offeredTools({ serverTools, activeClients: clients } as never, starter).map(({ name, contributor, definition }) => [
      name,
      contributor.kind === 'client' ? contributor.clientId : contributor.customizationId,
      definition.name,
    ]);

  it('are those of servers first, and of clients under other names where one is taken', () => {
    assert.deepEqual(offered([ofServer('read'), ofServer('client_read')], [client('c1', 'read', 'write')]), [
      ['read', 'of read', 'read'],
      ['client_read', 'of client_read', 'client_read'],
      ['client_client_read', 'c1', 'read'],
      ['write', 'c1', 'write'],
    ]);
  });
  it('are of one client each: of the one that started the turn, else of the one that came first', () => {
    const clients = [client('c1', 'read', 'one'), client('c2', 'read', 'two')];
    assert.deepEqual(offered([], clients), [
      ['read', 'c1', 'read'],
      ['one', 'c1', 'one'],
      ['two', 'c2', 'two'],
    ]);
    assert.deepEqual(offered([], clients, 'c2'), [
      ['read', 'c2', 'read'],
      ['two', 'c2', 'two'],
      ['one', 'c1', 'one'],
    ]);
  });
  it('leave out what belongs to no server, but keep its name taken', () => {
    assert.deepEqual(offered([tool('own')], [client('c1', 'own')]), [['client_own', 'c1', 'own']]);
  });
  it('have a name each, also where a client makes one up', () => {
    const names = offered([ofServer('a')], [client('c1', 'client_a', 'a')]).map(([name]) => name);
    assert.equal(new Set(names).size, 3);
  });
});
