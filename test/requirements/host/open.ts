/** What no test shows yet, in the order of the document. `test/architecture/requirements.test.ts` holds it exactly. */
export const open: readonly string[] = [
  'host.service.root-shared',
  'host.service.gated',
  'host.icon.trusted',
  'host.input.authentication-answer',
  'host.tool.read-only',
  'host.tool.destructive',
  'host.tool.idempotent',
  'host.tool.open-world',
  'host.move.auth-resolved',
  'host.auth.mid-call',
  'host.auth.mid-call-token',
  'host.event.auth-resolved',
  'host.error.unspecified',
];
