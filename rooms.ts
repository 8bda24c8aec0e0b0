interface Room {
  readonly rooms: readonly string[];
  /** Rooms of which only types may be imported. */
  readonly types?: readonly string[];
  readonly packages: readonly string[];
}

/** What nearly every room of the sidecar needs. */
const plain = ['sidecar/platform', 'sidecar/protocol'];
const remote = ['sidecar/agents/a2a', 'sidecar/agents/cloud'];
const sdks = ['anthropic', 'google', 'openai', 'openai-compatible'].map((it) => `@ai-sdk/${it}`);
const aws = ['@smithy/signature-v4', '@smithy/hash-node', '@aws-sdk/credential-providers'];
const shown = ['src/client', 'src/manifest', 'src/platform', 'sidecar/protocol'];

/** Who may import whom, and which packages. The most specific room comes first. What is not named is forbidden. */
export const rooms: Record<string, Room> = {
  'sidecar/protocol': { rooms: [], packages: ['zod'] },
  /** How lines are compared, for the host and for windows. */
  'sidecar/lines': { rooms: [], packages: ['diff'] },
  'sidecar/platform/sandbox': { rooms: plain, packages: ['@anthropic-ai/sandbox-runtime', 'zod', 'node:'] },
  'sidecar/platform': { rooms: [], packages: ['pino', 'cross-spawn', 'node-pty', 'node:'] },
  'sidecar/transport': { rooms: ['sidecar/platform', 'sidecar/protocol'], packages: ['vscode-jsonrpc', 'ws', 'node:'] },
  /** The public protocol, at the border: nothing behind it knows. */
  'sidecar/dialect': { rooms: ['sidecar/platform', 'sidecar/protocol', 'sidecar/transport'], packages: [] },
  'sidecar/launch': { rooms: [...plain, 'sidecar/transport', 'sidecar/dialect'], packages: ['zod', 'node:'] },
  'sidecar/agents': { rooms: [...plain, ...remote], packages: ['@agentclientprotocol/sdk', ...sdks, 'zod', 'node:'] },
  'sidecar/agents/a2a': { rooms: [...plain, 'sidecar/agents'], packages: ['eventsource-parser', 'zod', 'node:'] },
  'sidecar/agents/cloud': { rooms: [...plain, 'sidecar/agents', 'sidecar/agents/a2a'], packages: ['zod', 'node:'] },
  'sidecar/host/permissions': { rooms: [], packages: [] },
  'sidecar/host/storage': { rooms: ['sidecar/platform', 'sidecar/protocol'], packages: ['node:', 'zod'] },
  'sidecar/host/state': { rooms: ['sidecar/platform', 'sidecar/protocol', 'sidecar/host/storage'], packages: [] },
  'sidecar/host/changes': {
    rooms: [
      'sidecar/platform',
      'sidecar/protocol',
      'sidecar/lines',
      'sidecar/host/state',
      'sidecar/host/storage',
      'sidecar/host/files',
    ],
    packages: ['vscode-uri', 'zod', 'node:'],
  },
  /** Files by descriptor: what was judged is what is opened. Knows nothing of clients and sessions. */
  'sidecar/host/files': { rooms: ['sidecar/platform'], packages: ['node:'] },
  'sidecar/host/mcp': {
    rooms: [...plain, 'sidecar/agents'],
    packages: ['@modelcontextprotocol/client', 'zod', 'node:'],
  },
  'sidecar/host/customizations': {
    rooms: ['sidecar/platform', 'sidecar/protocol', 'sidecar/agents', 'sidecar/host/state', 'sidecar/host/mcp'],
    packages: ['jsonc-parser', 'vscode-uri', 'yaml', 'zod', 'node:'],
  },
  /** Runs the hooks that the folders of a session have. Knows nothing of chats and permissions. */
  'sidecar/host/hooks': {
    rooms: ['sidecar/platform', 'sidecar/agents', 'sidecar/host/customizations'],
    packages: ['jsonc-parser', 'vscode-uri', 'zod', 'node:'],
  },
  'sidecar/agents/registry': { rooms: [...plain, 'sidecar/agents'], packages: ['undici', 'zod', 'node:'] },
  /** What the parts of the host share: states of the store, tokens, folders, paths, and the chats that messages attach. */
  'sidecar/host/context': {
    rooms: [
      ...plain,
      'sidecar/platform/sandbox',
      'sidecar/agents',
      'sidecar/host/state',
      'sidecar/host/storage',
      'sidecar/host/changes',
      'sidecar/host/files',
    ],
    packages: ['vscode-uri', 'node:'],
  },
  'sidecar/host/resources': {
    rooms: ['sidecar/platform', 'sidecar/protocol', 'sidecar/host/files', 'sidecar/host/context'],
    packages: ['vscode-uri', 'node:'],
  },
  'sidecar/host/terminals': {
    rooms: [...plain, 'sidecar/host/state', 'sidecar/host/context', 'sidecar/host/resources'],
    types: ['sidecar/agents'],
    packages: ['node:'],
  },
  'sidecar/host/tools': {
    rooms: ['sidecar/platform', 'sidecar/protocol', 'sidecar/agents', 'sidecar/host/context', 'sidecar/host/mcp'],
    types: ['sidecar/host/changes'],
    packages: ['node:'],
  },
  'sidecar/host/agents': {
    rooms: ['sidecar/platform', 'sidecar/protocol', 'sidecar/agents', 'sidecar/host/context', 'sidecar/host/tools'],
    packages: [],
  },
  'sidecar/host/turns': {
    rooms: [
      ...plain,
      'sidecar/agents',
      'sidecar/host/state',
      'sidecar/host/storage',
      'sidecar/host/customizations',
      'sidecar/host/hooks',
      'sidecar/host/mcp',
      'sidecar/host/permissions',
      'sidecar/host/context',
      'sidecar/host/tools',
      'sidecar/host/agents',
    ],
    types: ['sidecar/launch', 'sidecar/host/changes', 'sidecar/lines'],
    packages: ['diff', 'vscode-uri', 'node:'],
  },
  'sidecar/host/sessions': {
    rooms: [
      ...plain,
      'sidecar/lines',
      'sidecar/agents',
      'sidecar/host/state',
      'sidecar/host/storage',
      'sidecar/host/changes',
      'sidecar/host/context',
      'sidecar/host/tools',
      'sidecar/host/agents',
      'sidecar/host/turns',
    ],
    packages: ['node:'],
  },
  /** What follows a commit. */
  'sidecar/host/effects': {
    rooms: [
      ...plain,
      'sidecar/agents',
      'sidecar/host/state',
      'sidecar/host/context',
      'sidecar/host/tools',
      'sidecar/host/agents',
      'sidecar/host/turns',
      'sidecar/host/sessions',
      'sidecar/host/resources',
      'sidecar/host/terminals',
    ],
    packages: [],
  },
  'sidecar/host/rpc': {
    rooms: [
      ...plain,
      'sidecar/transport',
      'sidecar/host/storage',
      'sidecar/host/state',
      'sidecar/host/changes',
      'sidecar/agents/registry',
      'sidecar/host/context',
      'sidecar/host/tools',
      'sidecar/host/agents',
      'sidecar/host/turns',
      'sidecar/host/sessions',
      'sidecar/host/resources',
      'sidecar/host/terminals',
      'sidecar/host/effects',
    ],
    packages: ['zod', 'node:'],
  },
  /** Builds the parts of the host and wires them. */
  'sidecar/host': {
    rooms: [
      ...plain,
      'sidecar/transport',
      'sidecar/launch',
      'sidecar/agents',
      ...remote,
      'sidecar/host/storage',
      'sidecar/host/state',
      'sidecar/host/changes',
      'sidecar/agents/registry',
      'sidecar/host/context',
      'sidecar/host/tools',
      'sidecar/host/agents',
      'sidecar/host/turns',
      'sidecar/host/sessions',
      'sidecar/host/resources',
      'sidecar/host/terminals',
      'sidecar/host/effects',
      'sidecar/host/rpc',
    ],
    packages: ['vscode-uri', 'node:'],
  },
  /** May this caller do this: the same in every environment. */
  'sidecar/gateway/access': {
    rooms: [],
    packages: [],
  },
  /** Reads what others will read again: the one strict reader of messages. Pure. */
  'sidecar/gateway/wire': { rooms: plain, packages: [] },
  'sidecar/gateway/storage': {
    rooms: ['sidecar/platform', 'sidecar/protocol', 'sidecar/gateway/wire'],
    packages: ['kysely', 'pg', 'zod', 'node:'],
  },
  'sidecar/gateway/backends': {
    rooms: ['sidecar/platform', 'sidecar/protocol', 'sidecar/gateway/wire'],
    packages: [...aws, 'undici', 'openid-client', 'eventsource-parser', 'yaml', 'zod', 'node:'],
  },
  'sidecar/gateway/auth': {
    rooms: ['sidecar/platform', 'sidecar/protocol', 'sidecar/gateway/access', 'sidecar/gateway/storage'],
    types: ['sidecar/gateway/backends'],
    packages: ['jose', 'zod', 'node:'],
  },
  /** What a row of the table of routes says, and which row a request is for. */
  'sidecar/gateway/routing': { rooms: ['sidecar/platform'], types: ['sidecar/gateway/auth'], packages: ['zod'] },
  'sidecar/gateway/activity': {
    rooms: [...plain, 'sidecar/gateway/storage', 'sidecar/gateway/backends', 'sidecar/gateway/guardrails'],
    types: ['sidecar/gateway/auth', 'sidecar/gateway/routing', 'sidecar/gateway/management'],
    packages: ['prom-client', '@opentelemetry', 'nodemailer', 'node:'],
  },
  'sidecar/gateway/configuration': {
    rooms: ['sidecar/platform', 'sidecar/protocol', 'sidecar/gateway/storage'],
    packages: ['jsonc-parser', 'yaml', 'zod', 'node:'],
  },
  'sidecar/gateway/guardrails': {
    rooms: ['sidecar/platform', 'sidecar/protocol', 'sidecar/gateway/wire'],
    types: ['sidecar/gateway/storage', 'sidecar/gateway/auth', 'sidecar/gateway/backends', 'sidecar/gateway/mcp'],
    packages: ['jose', 'ajv', 'ajv-formats', 'zod', 'node:'],
  },
  'sidecar/gateway/a2a': {
    rooms: [
      ...plain,
      'sidecar/gateway/wire',
      'sidecar/gateway/auth',
      'sidecar/gateway/backends',
      'sidecar/gateway/routing',
    ],
    packages: ['eventsource-parser', 'zod', 'node:'],
  },
  'sidecar/gateway/cloudagents': {
    rooms: ['sidecar/platform', 'sidecar/gateway/access'],
    types: ['sidecar/gateway/auth', 'sidecar/gateway/backends', 'sidecar/gateway/activity', 'sidecar/gateway/routing'],
    packages: ['zod', 'node:'],
  },
  'sidecar/gateway/models': {
    rooms: [...plain, 'sidecar/gateway/wire', 'sidecar/gateway/backends', 'sidecar/gateway/routing'],
    types: ['sidecar/launch', 'sidecar/gateway/auth', 'sidecar/gateway/activity'],
    packages: ['zod', 'node:'],
  },
  'sidecar/gateway/mcp': {
    rooms: [
      ...plain,
      'sidecar/gateway/wire',
      'sidecar/gateway/auth',
      'sidecar/gateway/backends',
      'sidecar/gateway/routing',
    ],
    types: ['sidecar/gateway/access'],
    packages: ['zod', 'node:'],
  },
  'sidecar/gateway/oauth': {
    rooms: [
      'sidecar/platform',
      'sidecar/protocol',
      'sidecar/gateway/auth',
      'sidecar/gateway/backends',
      'sidecar/gateway/mcp',
      'sidecar/gateway/routing',
    ],
    types: ['sidecar/gateway', 'sidecar/gateway/storage'],
    packages: ['openid-client', 'jose', 'zod', 'node:'],
  },
  'sidecar/gateway/management': {
    rooms: [
      'sidecar/platform',
      'sidecar/protocol',
      'sidecar/gateway/access',
      'sidecar/gateway/wire',
      'sidecar/gateway/storage',
      'sidecar/gateway/auth',
      'sidecar/gateway/backends',
      'sidecar/gateway/activity',
      'sidecar/gateway/a2a',
    ],
    types: ['sidecar/gateway/mcp', 'sidecar/gateway/routing'],
    packages: ['zod'],
  },
  /** The only room that speaks HTTP with callers. */
  'sidecar/gateway/http': {
    rooms: [
      'sidecar/platform',
      'sidecar/protocol',
      'sidecar/gateway/auth',
      'sidecar/gateway/backends',
      'sidecar/gateway/activity',
      'sidecar/gateway/routing',
      'sidecar/gateway/mcp',
      'sidecar/gateway/a2a',
      'sidecar/gateway/cloudagents',
      'sidecar/gateway/models',
      'sidecar/gateway/management',
      'sidecar/gateway/oauth',
    ],
    types: ['sidecar/gateway', 'sidecar/gateway/storage', 'sidecar/gateway/guardrails'],
    packages: ['zod', 'zod-openapi', 'node:'],
  },
  /** What replicas of a gateway agree on, and its workers. */
  'sidecar/gateway/cluster': {
    rooms: [...plain, 'sidecar/gateway/storage', 'sidecar/gateway/activity', 'sidecar/gateway/http'],
    types: ['sidecar/launch', 'sidecar/gateway/auth', 'sidecar/gateway/backends', 'sidecar/gateway/mcp'],
    packages: ['kysely', 'node:'],
  },
  /** The two gateways that are started: the one of a team, and the one beside the host. */
  'sidecar/gateway/editions': {
    rooms: [
      'sidecar/launch',
      'sidecar/platform',
      'sidecar/protocol',
      'sidecar/gateway',
      'sidecar/gateway/storage',
      'sidecar/gateway/auth',
      'sidecar/gateway/backends',
      'sidecar/gateway/configuration',
      'sidecar/gateway/activity',
      'sidecar/gateway/http',
      'sidecar/gateway/cluster',
    ],
    packages: ['zod', 'node:'],
  },
  /** gateway.ts builds the parts of the gateway and wires them. */
  'sidecar/gateway': {
    rooms: [
      'sidecar/launch',
      'sidecar/platform',
      'sidecar/protocol',
      'sidecar/gateway/access',
      'sidecar/gateway/wire',
      'sidecar/gateway/storage',
      'sidecar/gateway/auth',
      'sidecar/gateway/backends',
      'sidecar/gateway/mcp',
      'sidecar/gateway/a2a',
      'sidecar/gateway/cloudagents',
      'sidecar/gateway/models',
      'sidecar/gateway/configuration',
      'sidecar/gateway/activity',
      'sidecar/gateway/guardrails',
      'sidecar/gateway/management',
      'sidecar/gateway/http',
      'sidecar/gateway/oauth',
      'sidecar/gateway/cluster',
      'sidecar/gateway/editions',
    ],
    packages: ['node:'],
  },
  'src/manifest': { rooms: [], packages: [] },
  'src/platform': { rooms: ['sidecar/protocol'], packages: ['vscode', 'node:'] },
  'src/config': { rooms: ['src/platform', 'src/manifest', 'sidecar/protocol'], packages: ['vscode', 'zod', 'node:'] },
  'src/sidecar': {
    rooms: ['src/platform', 'src/config', 'src/client', 'sidecar/protocol'],
    packages: ['vscode', 'vscode-languageclient', 'node:'],
  },
  'src/client': { rooms: ['sidecar/protocol'], packages: ['zod'] },
  'src/gateway': { rooms: [...shown, 'src/activation'], packages: ['vscode', 'jsonc-parser', 'zod', 'node:'] },
  'src/activation': { rooms: ['src/manifest', 'src/client'], packages: ['vscode', 'node:'] },
  'src/terminals': { rooms: shown, packages: ['vscode'] },
  /** Hosts elsewhere, over WebSocket; all but the door is a bundle of its own. */
  'src/remote': { rooms: [...shown, 'src/config', 'src/sidecar', 'src/views'], packages: ['vscode', 'ws', 'node:'] },
  /** What talks with authorization servers; its bundle is loaded when somebody signs in. */
  'src/oauth': { rooms: ['src/platform'], packages: ['openid-client'] },
  /** Forms drawn from schemas, in the editor's own lists and boxes. */
  'src/forms': { rooms: ['src/platform', 'sidecar/protocol'], packages: ['vscode'] },
  'src/commands': { rooms: [...shown, 'src/config', 'src/forms'], packages: ['vscode'] },
  'src/agents': { rooms: shown, packages: ['vscode'] },
  'src/hosts': { rooms: [...shown, 'src/config', 'src/sidecar', 'src/commands'], packages: ['vscode', 'node:'] },
  'src/views': { rooms: [...shown, 'src/activation'], packages: ['vscode'] },
  'src/requests': { rooms: [...shown, 'src/config', 'src/oauth'], packages: ['vscode'] },
  'src/changes': { rooms: [...shown, 'sidecar/lines'], packages: ['vscode'] },
  /** What became of sessions, told in the window and by the operating system. */
  'src/notifications': { rooms: [...shown, 'sidecar/platform'], packages: ['vscode', 'node:'] },
  'src/diagnostics': { rooms: [...shown, 'sidecar/platform'], packages: ['vscode', 'node:'] },
  'src/webviews/contract': { rooms: [], packages: ['zod'] },
  'src/webviews': {
    rooms: [...shown, 'sidecar/lines', 'src/activation', 'src/forms', 'src/webviews/contract'],
    packages: ['vscode', 'node:'],
  },
  'media/shared': {
    rooms: ['src/webviews/contract', 'sidecar/protocol'],
    packages: ['lit', 'markdown-it', 'dompurify', 'highlight.js', 'temml'],
  },
  /** The gateway's pages: in a browser, and in a webview. */
  'media/admin': {
    rooms: ['media/shared', 'src/webviews/contract', 'sidecar/protocol', 'sidecar/lines'],
    packages: ['lit', 'uplot', 'zod'],
  },
  media: { rooms: ['media/shared', 'src/webviews/contract'], packages: ['lit'] },
};

const editorBundles =
  'extension window languageclient oauth remote jsonc customizations worktrees sessions chatturns chattexts attach review diagnostics approvals addagent gateway';
/** These wire everything together and are imported by nobody. */
export const entryPoints: readonly string[] = [
  ...editorBundles.split(' ').map((it) => `src/${it}.ts`),
  'sidecar/main.ts',
  'sidecar/host/storage/search/searchWorker.ts',
  'sidecar/platform/sandbox/sandboxOwner.ts',
];
