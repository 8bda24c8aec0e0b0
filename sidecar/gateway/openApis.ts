import type { ApiDocuments, ApiDocumentsDeps, CheckedCall, LazyApis } from './backends/openapi/documents.ts';
import { ArgumentChecks, checkedWords } from './guardrails/schemas/checkArguments.ts';

/** The OpenAPI documents of servers; what reads them is loaded with the first. */
export function openApis(deps: Omit<ApiDocumentsDeps, 'checkArguments'>): LazyApis {
  const checks = new ArgumentChecks({ of: async ({ known }: CheckedCall) => known }, deps.clock);
  const checkArguments = async (call: CheckedCall) => checkedWords(call.tool, await checks.check(call));
  let opened: Promise<ApiDocuments> | undefined;
  const load = async () => {
    const { ApiDocuments } = await import('./backends/openapi/documents.ts');
    return new ApiDocuments({ ...deps, checkArguments });
  };
  return {
    open: () => (opened ??= load()),
    forget: (serverId) => void opened?.then((it) => it.forget(serverId)),
  };
}
