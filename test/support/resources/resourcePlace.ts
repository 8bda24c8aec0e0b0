import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { HostPeer } from '../host/hostPeer.ts';
import { type HostPlace, type HostPlaceOptions, openHostPlace } from '../host/hostPlace.ts';
import { scriptedProvider } from '../scriptedProvider.ts';

/** What stands in the file that nobody may reach. */
export const SECRET = 'the secret outside';

/** A host, a client with a session in `inside`, and a folder beside it that nobody was granted. */
export interface ResourcePlace {
  readonly host: HostPlace;
  readonly peer: HostPeer;
  readonly session: string;
  readonly base: string;
  readonly inside: string;
  readonly outside: string;
  /** Everything below a folder, with contents: equal when nothing was changed. */
  look(folder: string): readonly string[];
  close(): Promise<void>;
}

const silent = scriptedProvider(async function* () {
  yield* [];
});

export async function openResourcePlace(more: HostPlaceOptions = {}): Promise<ResourcePlace> {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'switchboard-resources-')));
  const [inside, outside] = [join(base, 'inside'), join(base, 'outside')];
  for (const it of ['inside/sub/deep', 'inside/.git', 'outside/sub']) mkdirSync(join(base, it), { recursive: true });
  writeFileSync(join(inside, 'a.txt'), 'alpha');
  writeFileSync(join(inside, 'sub', 'b.txt'), 'beta');
  writeFileSync(join(inside, '.git', 'config'), '[core]');
  writeFileSync(join(outside, 'secret.txt'), SECRET);
  writeFileSync(join(outside, 'sub', 'secret.txt'), SECRET);
  symlinkSync(join(outside, 'secret.txt'), join(inside, 'out-file'));
  symlinkSync(outside, join(inside, 'out-folder'));
  symlinkSync(join(outside, 'new.txt'), join(inside, 'out-nowhere'));
  symlinkSync('loop', join(inside, 'loop'));
  symlinkSync('a.txt', join(inside, 'in-link'));
  const host = await openHostPlace([silent], more);
  const peer = await host.connect('c1');
  const { session } = await peer.newSession({ workingDirectories: [uriOf(inside)] });
  return {
    host,
    peer,
    session,
    base,
    inside,
    outside,
    look,
    async close() {
      await host.close();
      rmSync(base, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
    },
  };
}

export const uriOf = (path: string) => pathToFileURL(path).href;

function look(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .map((it) => {
      const path = join(it.parentPath, it.name);
      const what = it.isSymbolicLink()
        ? `-> ${readlinkSync(path)}`
        : it.isFile()
          ? readFileSync(path, 'utf8')
          : 'folder';
      return `${path.slice(folder.length)} ${what}`;
    })
    .sort();
}
