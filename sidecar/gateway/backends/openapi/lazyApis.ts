import type { ApiDocuments, ApiDocumentsDeps } from './documents.ts';

/** The OpenAPI documents of this process. What reads them is loaded with the first, because most gateways have none. */
export interface LazyApis {
  open(): Promise<ApiDocuments>;
  /** A registration changed or was removed. */
  forget(serverId: string): void;
}

export function lazyApis(deps: ApiDocumentsDeps): LazyApis {
  let opened: Promise<ApiDocuments> | undefined;
  const load = async () => {
    const { ApiDocuments } = await import('./documents.ts');
    return new ApiDocuments(deps);
  };
  return {
    open: () => (opened ??= load()),
    forget: (serverId) => void opened?.then((it) => it.forget(serverId)),
  };
}
