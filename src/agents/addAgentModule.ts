import type { HostClient } from '../client/hostClient.ts';

export interface AddAgentDeps {
  /** Of the host of this machine: nothing is installed elsewhere. */
  readonly port: Pick<HostClient, 'request' | 'onNotification'>;
  /** Opens a new chat with an agent. */
  readonly newChat: (provider: string) => void;
  readonly newId: () => string;
  /** A new chat with the agent opens at once: the person came from one. */
  readonly opensChat: boolean;
}

/** What `dist/addagent.cjs` gives. */
export interface AddAgentModule {
  /** Shows the agents of the registry, and does what the person chooses. */
  addAgent(deps: AddAgentDeps): Promise<void>;
}
