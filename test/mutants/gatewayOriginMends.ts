import type { Mutant } from './mutant.ts';

/** As `gatewayMends`: secrets that would leave for another origin than the one that they were given for. */
export const gatewayOriginMends: readonly Mutant[] = [
  {
    id: 'gateway-origin-bound',
    file: 'sidecar/gateway/storage/boundSecrets.ts',
    old: 'return bound?.origins === origins ? bound.value : undefined;',
    new: 'return bound === undefined || origins === undefined ? undefined : bound.value;',
    tests: ['test/integration/gateway/security/movedServer.test.ts'],
    breaks: 'What people gave for a server goes along when an administrator moves the server to another origin.',
  },
  {
    id: 'gateway-origin-administrator',
    file: 'sidecar/gateway/management/servers/moved.ts',
    old: '  if (serverOrigin(before) !== serverOrigin(after)) {',
    new: '  if (before.server_id !== after.server_id) {',
    tests: ['test/contract/gateway/management/movedServers.test.ts'],
    breaks: 'Who points a server at an address of their own gets its credential and headers sent there.',
  },
  {
    id: 'gateway-origin-client-secret',
    file: 'sidecar/gateway/management/servers/moved.ts',
    old: 'if (secretOrigins(before) !== secretOrigins(after) && stays',
    new: 'if (secretOrigins(before) === undefined && stays',
    tests: ['test/contract/gateway/management/movedServers.test.ts'],
    breaks: "Who points the address for tokens at one of their own gets the secret of the gateway's client sent there.",
  },
  {
    id: 'gateway-origin-connection',
    file: 'sidecar/gateway/backends/mcp/opening/connectionNames.ts',
    old: "[era, target.url ?? '', outbound.identity",
    new: '[era, outbound.identity',
    tests: ['test/unit/sidecar/gateway/backends/mcp/connections.test.ts'],
    breaks: 'A call with a credential for the new address of a server leaves over the connection to the old one.',
  },
  {
    id: 'gateway-origin-code',
    file: 'sidecar/gateway/backends/oauth/flow.ts',
    old: '    if (originsOf(server, authorizationServer) !== state.origins) throw staleState();\n',
    new: '',
    tests: ['test/unit/sidecar/gateway/backends/oauth/signIns.test.ts'],
    breaks: 'The code of a sign-in goes to another token endpoint when that moves in the middle of the sign-in.',
  },
  {
    id: 'gateway-origin-renewal',
    file: 'sidecar/gateway/backends/oauth/userTokens.ts',
    old: '(renewed_at !== undefined && renewed_at !==',
    new: '(renewed_at === null && renewed_at !==',
    tests: ['test/unit/sidecar/gateway/backends/oauth/renewal.test.ts'],
    breaks: 'A refresh token goes to another origin than the one that gave it.',
  },
];
