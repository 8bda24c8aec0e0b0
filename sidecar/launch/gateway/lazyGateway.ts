import { dirname, join } from 'node:path';
import type {
  CallGate,
  ConfigDocuments,
  DocumentEditor,
  EmbeddedGateway,
  EmbeddedGatewayDeps,
  GatewayRoles,
  OfferedAgent,
  OfferedModel,
  OpenConfigDocuments,
} from './gatewayContract.ts';
import { Latest } from './latest.ts';

/** An embedded gateway that is not loaded before somebody starts it: the host is ready sooner. */
export function lazyGateway(
  load: () => Promise<GatewayRoles>,
  entry: string,
  deps: Omit<EmbeddedGatewayDeps, 'pagesFolder'>,
): EmbeddedGateway {
  const pagesFolder = pagesFolderOf(entry);
  let loaded: Promise<EmbeddedGateway> | undefined;
  const listeners = new Set<Parameters<EmbeddedGateway['onCall']>[0]>();
  const agents = new Latest<readonly OfferedAgent[]>();
  const models = new Latest<readonly OfferedModel[]>();
  let gate: CallGate | undefined;
  const opened = async () => {
    const gateway = await (await load()).openEmbedded({ ...deps, pagesFolder });
    if (gate) gateway.gateCalls(gate);
    gateway.onCall((call) => {
      for (const listener of listeners) listener(call);
    });
    gateway.onAgents(agents.set);
    gateway.onModels(models.set);
    return gateway;
  };
  const open = () => (loaded ??= opened());
  return {
    start: async (request) => (await open()).start(request),
    sessionTools: async (session) => (await loaded)?.sessionTools(session),
    sessionModels: async (session, chat) => (await loaded)?.sessionModels(session, chat),
    sessionAgents: async (session, chat, service) => (await loaded)?.sessionAgents(session, chat, service),
    onAgents: agents.follow,
    onModels: models.follow,
    onCall(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    gateCalls(it) {
      gate = it;
      void loaded?.then(
        (gateway) => gateway.gateCalls(it),
        () => undefined, // the caller of `start` reports it
      );
    },
    sessionEnded: async (session) => (await loaded)?.sessionEnded(session),
    facts: async () => (await loaded)?.facts(),
    close: async () => (await loaded)?.close(),
  };
}

/** The built pages lie beside the built sidecar. */
export const pagesFolderOf = (entry: string): string => join(dirname(entry), '..', 'media', 'admin');

/** The language of the configuration file for one connection, loaded with the first document. */
export function lazyDocuments(
  load: () => Promise<OpenConfigDocuments>,
  gateway: Pick<EmbeddedGateway, 'facts'>,
): (editor: DocumentEditor) => ConfigDocuments {
  return (editor) => {
    let opened: Promise<ConfigDocuments> | undefined;
    const open = () => (opened ??= load().then((openDocuments) => openDocuments(() => gateway.facts(), editor)));
    return {
      notify: async (method, params) => (await open()).notify(method, params),
      ask: async (method, params) => (await open()).ask(method, params),
    };
  };
}
