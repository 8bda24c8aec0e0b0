import type { CustomAgentInfo } from '../../sidecar/protocol/channels/session/customizations.ts';
import { ROOT } from '../../sidecar/protocol/uris.ts';
import type { HostClient } from './hostClient.ts';

interface FolderAgentsDeps {
  readonly port: Pick<HostClient, 'request'>;
  readonly warn: (message: string) => void;
}

/** The custom agents of the folder in which a new session would work: read once for each folder that is chosen. */
export class FolderAgents {
  readonly #deps: FolderAgentsDeps;
  readonly #changed: () => void;
  #folder: string | undefined;
  items: readonly CustomAgentInfo[] = [];

  constructor(deps: FolderAgentsDeps, changed: () => void) {
    this.#deps = deps;
    this.#changed = changed;
  }

  /** @param folder a URI; absent where there is none, or several */
  read(folder: string | undefined): void {
    if (folder === this.#folder) return;
    this.#folder = folder;
    this.items = [];
    if (folder === undefined) return;
    this.#deps.port.request('x-switchboard/customAgents', { channel: ROOT, workingDirectory: folder }).then(
      ({ items }) => {
        if (this.#folder !== folder || items.length === 0) return;
        this.items = items;
        this.#changed();
      },
      (error: unknown) =>
        this.#deps.warn(
          `the custom agents of a folder were not read: ${error instanceof Error ? error.message : String(error)}`,
        ),
    );
  }
}
