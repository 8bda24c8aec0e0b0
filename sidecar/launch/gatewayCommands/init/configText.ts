import { isLoopback } from '../../../platform/loopback.ts';
import type { Answers } from './answers.ts';

/** The text of a commented `switchboard.jsonc` for these answers. */
export function configText({ host, port, publicUrl, allowedCommands }: Omit<Answers, 'databaseFile'>): string {
  return `// The configuration of a Switchboard gateway. CONFIGURATION.md describes every field.
// The gateway applies changes as soon as this file is saved, except to fields that are read only at startup.
{
  // Read only at startup.
  "listen": {
    "host": ${JSON.stringify(host)},
    "port": ${port}${securityOf(host, publicUrl)}
  },
${publicUrlOf(publicUrl)}
  // Programs that stdio servers may run. Packages require an exact version.
  "stdio": { "allowed_commands": ${JSON.stringify(allowedCommands)} },

  // MCP servers by name. Refer to a secret by its environment variable or file. Never put it here.
  "mcp_servers": {
    // "github": {
    //   "url": "https://mcp.example.com/github",
    //   "auth_type": "bearer_token",
    //   "credentials": { "auth_value": { "env": "GITHUB_TOKEN" } }
    // }
  },

  // A2A agents by name.
  "agents": {},

  // Models. A key can use a model only if its permissions list it.
  "model_list": [
    // { "model_name": "smart", "gateway_params": { "model": "openai/gpt-5", "api_key": { "env": "OPENAI_API_KEY" } } }
  ],

  // Teams by name, with their budgets, limits, and permissions.
  "teams": {},

  // Call records are deleted after this number of days. Daily totals are kept.
  "activity": { "keep_days": 90 }
}
`;
}

/** Other machines may only come over TLS: of the gateway's own, or of a proxy in front of it. */
function securityOf(host: string, publicUrl: string): string {
  if (isLoopback(host)) return '';
  return publicUrl.startsWith('https:')
    ? `,
    // A proxy terminates TLS in front of the gateway. Nobody else must be able to reach this port.
    "allow_insecure": true`
    : `,
    // Put the certificate with its chain, and its private key, in these files.
    "tls": { "cert_file": "tls/cert.pem", "key_file": "tls/key.pem" }`;
}

const publicUrlOf = (url: string) =>
  url === ''
    ? `  // The URL that callers use, if a proxy is in front of the gateway.
  // "public_url": "https://gateway.example.com",
`
    : `  // The URL that callers use.
  "public_url": ${JSON.stringify(url)},
  // Addresses or networks of the proxy, whose X-Forwarded-* headers are trusted.
  "trusted_proxies": [],
`;
