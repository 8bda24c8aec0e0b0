import type { Mutant } from './mutant.ts';

/** As `gatewayMends`: what servers say by themselves, and what several callers or replicas do at once. */
export const gatewayStreamMends: readonly Mutant[] = [
  {
    id: 'gateway-stream-era-forgotten',
    file: 'sidecar/gateway/backends/mcp/eras.ts',
    old: 'if (this.#asking.get(target.server_id) === asking) this.#known.set(',
    new: 'this.#known.set(',
    tests: ['test/unit/sidecar/gateway/backends/mcp/eras.test.ts'],
    breaks:
      'A server that changed while it was asked which era it speaks is taken for the one of before, for ten minutes.',
  },
  {
    id: 'gateway-stream-first-event',
    file: 'sidecar/gateway/mcp/methods/subscriptions.ts',
    old: 'await (first ?? events.next())',
    new: 'await events.next()',
    tests: ['test/integration/gateway/mcp/ownStreams.test.ts'],
    breaks: 'The first event of a subscription is lost where it is no acknowledgement.',
  },
  {
    id: 'gateway-stream-rejoined',
    file: 'sidecar/gateway/mcp/transport/sessionStream.ts',
    old: '        joined.delete(server_id);\n',
    new: '',
    tests: ['test/integration/gateway/mcp/ownStreams.test.ts'],
    breaks: 'What a server says is lost for a client that listens when the server lost its session and got a new one.',
  },
  {
    id: 'gateway-stream-replaced',
    file: 'sidecar/gateway/mcp/transport/sessionStream.ts',
    old: 'backend.isClosed && mcp.deps.connections.peek(key) !== undefined',
    new: 'backend.isClosed && mcp.deps.connections.peek(key) === backend',
    tests: ['test/integration/gateway/mcp/ownStreams.test.ts'],
    breaks: 'The same where the stream of the lost session ends after the new one was made.',
  },
  {
    id: 'gateway-stream-judged',
    file: 'sidecar/gateway/mcp/methods/wholeOnly.ts',
    old: '  if (!read) return data.length === 0;\n',
    new: '  if (!read) return isWhole || data.length === 0;\n',
    tests: ['test/integration/gateway/spec/wholeServers.test.ts'],
    breaks: 'What readers understand differently reaches callers with a whole server on the stream of a session.',
  },
  {
    id: 'gateway-lease-per-work',
    file: 'sidecar/gateway/storage/leases.ts',
    old: '    this.#works += 1;\n',
    new: '',
    tests: ['test/unit/sidecar/gateway/auth/leasedWork.test.ts'],
    breaks:
      'Two renewals of one token in one process run at once, and a refresh token that is good for one use is used twice.',
  },
  {
    id: 'gateway-lease-client',
    file: 'sidecar/gateway/backends/oauth/flow.ts',
    old: '      if (meanwhile) return meanwhile;\n',
    new: '',
    tests: ['test/unit/sidecar/gateway/auth/leasedWork.test.ts'],
    breaks: 'Sign-ins that begin at once at two replicas register two clients, and one of them cannot end.',
  },
  {
    id: 'gateway-stream-cut',
    file: 'sidecar/gateway/mcp/transport/keptAnswers.ts',
    old: '  request.onCut = toldByItsReader;\n',
    new: '  request.onCut = undefined;\n',
    tests: ['test/integration/gateway/mcp/cutConnections.test.ts'],
    breaks: 'A broken connection cancels its call, and the client that comes back waits for nothing.',
  },
  {
    id: 'gateway-replicas-answers',
    file: 'sidecar/gateway/mcp/methods/clientMessages.ts',
    old: 'if (!peers || replica === undefined || replica === peers.id) {',
    new: 'if (peers ?? true) {',
    tests: ['test/unit/sidecar/gateway/mcp/session/peers.test.ts'],
    breaks: 'An answer that reaches another replica than the one that asked is taken with 202 and lost.',
  },
  {
    id: 'gateway-replicas-cancelled',
    file: 'sidecar/gateway/mcp/session/answerPeers.ts',
    old: '      session?.inflight.get(ask.requestId)?.abort();\n',
    new: '',
    tests: ['test/unit/sidecar/gateway/mcp/session/peers.test.ts'],
    breaks: 'A cancellation that reaches another replica than the one that runs the call is lost.',
  },
];
