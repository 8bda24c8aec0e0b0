import type { DirectoryCustomization, PluginCustomization } from '../../protocol/channels/session/customizations.ts';
import { type CustomizationLocation, customizationLocations } from './customizationLocations.ts';
import { type CustomizationFiles, childUri } from './files.ts';
import { idOf } from './jsonChildren.ts';
import { expandPlugin, findPlugins, pluginAt } from './plugins.ts';
import { readChildren } from './readChildren.ts';

export type Container = DirectoryCustomization | PluginCustomization;

/** Everything below one working directory (a `file:` URI), as containers with their children. */
export async function scanFolder(files: CustomizationFiles, folder: string): Promise<Container[]> {
  const found = await Promise.all(customizationLocations.map((location) => scanLocation(files, folder, location)));
  const plugins = await findPlugins(files, folder);
  const expanded = await Promise.all(plugins.map((it) => expandPlugin(files, pluginAt(it))));
  return [...found.filter((it) => it !== undefined), ...expanded];
}

/** A directory of which only its place is known. */
export function directoryAt(uri: string, { name, contents, only }: CustomizationLocation): DirectoryCustomization {
  return {
    type: 'directory',
    id: idOf(uri, contents),
    uri,
    name,
    contents,
    writable: only === undefined,
    enabled: true,
  };
}

/** A directory with what is in it. Never rejects: what went wrong is its load state. */
export async function fillDirectory(
  files: CustomizationFiles,
  directory: DirectoryCustomization,
  location: Pick<CustomizationLocation, 'contents' | 'only'>,
): Promise<DirectoryCustomization> {
  try {
    const { children, problems } = await readChildren(files, directory.uri, location);
    const load = problems.length > 0 ? ({ kind: 'degraded', message: problems.join('\n') } as const) : loaded;
    return { ...directory, load, children: [...children] };
  } catch (thrown) {
    const message = thrown instanceof Error ? thrown.message : String(thrown);
    return { ...directory, load: { kind: 'error', message }, children: [] };
  }
}
const loaded = { kind: 'loaded' } as const;

async function scanLocation(
  files: CustomizationFiles,
  folder: string,
  location: CustomizationLocation,
): Promise<DirectoryCustomization | undefined> {
  const uri = location.folder === '' ? folder : childUri(folder, ...location.folder.split('/'));
  const filled = await fillDirectory(files, directoryAt(uri, location), location);
  if (location.isOffered || filled.load?.kind !== 'loaded' || filled.children?.length) return filled;
  // An empty folder that is there contributes nothing, and says so; files that are not there say nothing.
  return location.only || (await files.list(uri)) === undefined ? undefined : filled;
}
