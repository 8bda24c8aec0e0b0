const any = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];

/** What the dashboard may ask of the gateway with the window's own key: managing and reading, never calling as somebody. */
const allowed: readonly { readonly methods: readonly string[]; readonly path: RegExp }[] = [
  { methods: any, path: /^\/(key|team|organization|user|customer|budget|model)\/[\w./~%-]+$/ },
  { methods: any, path: /^\/credentials(\/[\w.~%-]+)*$/ },
  { methods: any, path: /^\/v1\/mcp\/[\w./~%-]+$/ },
  { methods: any, path: /^\/v1\/agents(\/[\w.~%-]+)*$/ },
  { methods: ['GET'], path: /^\/(activity|spend|agent|tag|gateway|guardrails|audit)\/[\w./~%-]+$/ },
  { methods: ['GET'], path: /^\/audit$/ },
  { methods: ['GET'], path: /^\/a2a\/[\w.~%-]+\/\.well-known\/agent-card\.json$/ },
  { methods: ['GET', 'POST'], path: /^\/mcp-rest\/[\w./~%-]+$/ },
  { methods: ['POST'], path: /^\/access\/explain$/ },
];

/** Whether a page may ask this. Whatever two readers could understand differently is refused. */
export function mayAsk(method: string, path: string): boolean {
  const [pathname = ''] = path.split('?', 1);
  if (/\/\/|\\|%2f|%5c|%00|#|\s/i.test(path) || pathname.split('/').some((it) => /^(\.|%2e){1,2}$/i.test(it)))
    return false;
  return allowed.some((it) => it.methods.includes(method) && it.path.test(pathname));
}
