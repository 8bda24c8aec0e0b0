import { join } from 'node:path';
import { Fault } from '../../platform/faults.ts';
import type { SessionFiles } from '../provider.ts';
import { isWebAddress } from './wire.ts';

/** Where a folder's changes are pushed to. */
export interface Upstream {
  readonly repository: string | undefined;
  readonly branch: string | undefined;
}

/** Of the first folder, as a suggestion. A folder in which Git keeps its data elsewhere has none. */
export async function upstreamOf(folder: string | undefined, files: SessionFiles): Promise<Upstream> {
  if (folder === undefined) return { repository: undefined, branch: undefined };
  const [config, head] = await Promise.all([read('config'), read('HEAD')]);
  return { repository: repositoryIn(config), branch: /^ref: refs\/heads\/(\S+)\s*$/.exec(head)?.[1] };

  async function read(name: string): Promise<string> {
    try {
      return await files.readText(join(folder!, '.git', name));
    } catch (thrown) {
      if (thrown instanceof Fault) return '';
      throw thrown;
    }
  }
}

/**
 * The address of `origin` in a Git configuration, as an https address without a user or password.
 *
 * @returns `undefined` if there is none, or it is not an address of the web or of SSH
 */
export function repositoryIn(config: string): string | undefined {
  const section = /^\s*\[remote "origin"\]\s*$([\s\S]*?)(?=^\s*\[|$(?![\s\S]))/m.exec(config)?.[1] ?? '';
  const url = /^\s*url\s*=\s*(\S+)\s*$/m.exec(section)?.[1] ?? '';
  const ssh = /^(?:ssh:\/\/)?[\w.-]+@([\w.-]+)(?::\d+\/|:|\/)(?!\/)(\S+)$/.exec(url);
  const address = ssh ? `https://${ssh[1]}/${ssh[2]}` : url;
  if (!isWebAddress(address)) return undefined;
  const { protocol, host, pathname } = new URL(address);
  return `${protocol}//${host}${pathname.replace(/\.git$/, '')}`;
}
