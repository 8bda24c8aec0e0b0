import { dirname, join } from 'node:path';
import type { GatewayRoles, PersonalGateway, PersonalGatewayDeps } from './gatewayContract.ts';

/** A personal gateway that is not loaded before somebody starts it: the host is ready sooner. */
export function lazyGateway(
  load: () => Promise<GatewayRoles>,
  entry: string,
  deps: Omit<PersonalGatewayDeps, 'pagesFolder'>,
): PersonalGateway {
  const pagesFolder = pagesFolderOf(entry);
  let loaded: Promise<PersonalGateway> | undefined;
  const open = () => (loaded ??= load().then(({ openPersonal }) => openPersonal({ ...deps, pagesFolder })));
  return {
    start: async (request) => (await open()).start(request),
    sessionTools: async (session) => (await loaded)?.sessionTools(session),
    sessionEnded: async (session) => (await loaded)?.sessionEnded(session),
    close: async () => (await loaded)?.close(),
  };
}

/** The built pages lie beside the built sidecar. */
export const pagesFolderOf = (entry: string): string => join(dirname(entry), '..', 'media', 'admin');
