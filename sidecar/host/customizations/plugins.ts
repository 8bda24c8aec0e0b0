import * as z from 'zod';
import type { ChildCustomization, PluginCustomization } from '../../protocol/channels/session/customizations.ts';
import { manifests, pluginFolders, pluginLocations } from './customizationLocations.ts';
import { type CustomizationFiles, childUri } from './files.ts';
import { idOf } from './jsonChildren.ts';
import { readChildren } from './readChildren.ts';

/** What is read of a manifest; everything else is the plugin's own. */
const Manifest = z.looseObject({ name: z.string().optional(), version: z.string().optional() });

/** The folders of plugins below a working directory, the directory itself included when it is one. */
export async function findPlugins(files: CustomizationFiles, folder: string): Promise<string[]> {
  const found = (await isPlugin(files, folder)) ? [folder] : [];
  for (const it of pluginFolders) {
    const holder = childUri(folder, ...it.split('/'));
    for (const { name, isFolder } of (await files.list(holder).catch(() => [])) ?? []) {
      if (isFolder) found.push(childUri(holder, name)); // without a manifest too: then it is named after its folder
    }
  }
  return found;
}

/** What a plugin is, without what it brings. */
export function pluginAt(uri: string): PluginCustomization {
  const name = decodeURIComponent(uri.split('/').at(-1) ?? uri);
  return { type: 'plugin', id: idOf(uri, 'plugin'), uri, name, enabled: true, load: { kind: 'loading' } };
}

/** The plugin with its children, from wherever its files lie. Never rejects: what went wrong is its load state. */
export async function expandPlugin<P extends PluginCustomization>(files: CustomizationFiles, plugin: P): Promise<P> {
  const children: ChildCustomization[] = [];
  const problems: string[] = [];
  try {
    const manifest = await readManifest(files, plugin.uri);
    if (manifest.problem !== undefined) problems.push(manifest.problem);
    for (const location of pluginLocations) {
      const folder = location.folder === '' ? plugin.uri : childUri(plugin.uri, location.folder);
      const read = await readChildren(files, folder, location);
      children.push(...read.children);
      problems.push(...read.problems.map((it) => (location.folder === '' ? it : `${location.folder}/${it}`)));
    }
    const { name, version } = manifest;
    const load = problems.length > 0 ? { kind: 'degraded', message: problems.join('\n') } : { kind: 'loaded' };
    return {
      ...plugin,
      ...(name !== undefined && { name }),
      ...(version !== undefined && { version }),
      load,
      children,
    } as P;
  } catch (thrown) {
    const message = thrown instanceof Error ? thrown.message : String(thrown);
    return { ...plugin, load: { kind: 'error', message }, children: [] };
  }
}

async function isPlugin(files: CustomizationFiles, folder: string): Promise<boolean> {
  for (const it of manifests.filter((path) => path.includes('/'))) {
    if ((await files.read(childUri(folder, ...it.split('/'))).catch(() => '')) !== undefined) return true;
  }
  return false;
}

async function readManifest(
  files: CustomizationFiles,
  folder: string,
): Promise<{ name?: string; version?: string; problem?: string }> {
  for (const path of manifests) {
    const source = await files.read(childUri(folder, ...path.split('/')));
    if (source === undefined) continue;
    const parsed = Manifest.safeParse(json(source));
    if (!parsed.success) return { problem: `${path}: is not a valid manifest` };
    const { name, version } = parsed.data;
    return { ...(name !== undefined && { name }), ...(version !== undefined && { version }) };
  }
  return {};
}

function json(source: string): unknown {
  try {
    return JSON.parse(source);
  } catch {
    return undefined; // which the schema refuses
  }
}
