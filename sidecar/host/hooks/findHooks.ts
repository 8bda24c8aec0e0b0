import { realpath } from 'node:fs/promises';
import { URI } from 'vscode-uri';
import { customizationLocations } from '../customizations/customizationLocations.ts';
import { type CustomizationFiles, childUri, diskFiles } from '../customizations/files.ts';
import { idOf } from '../customizations/jsonChildren.ts';
import { findPlugins, pluginAt } from '../customizations/plugins.ts';
import { readChildren } from '../customizations/readChildren.ts';
import { directoryAt } from '../customizations/scanFolder.ts';
import { type Hook, type HookProblem, type ParsedHooks, parseHooks } from './hookFile.ts';

/**
 * The hooks of working directories (`file:` URIs), read from the disk as it is now: nobody has to look at the session.
 * What a client published is its own and is not run. @param isOff whether a customization with that id is turned off
 */
export async function findHooks(folders: readonly string[], isOff: (id: string) => boolean): Promise<ParsedHooks> {
  const hooks: Hook[] = [];
  const problems: HookProblem[] = [];
  for (const folder of folders) {
    const root = await realpath(URI.parse(folder).fsPath).catch(() => undefined); // not there: it has no hooks
    if (root === undefined) continue;
    const files = diskFiles(root);
    for (const holder of await holdersIn(files, folder)) {
      if (isOff(holder.id)) continue;
      const found = await hooksOf(files, folder, holder, isOff);
      hooks.push(...found.hooks);
      problems.push(...found.problems);
    }
  }
  return { hooks, problems };
}

interface Holder {
  readonly id: string;
  /** Where the files are. */
  readonly uri: string;
  readonly only?: readonly string[];
  readonly plugin?: string;
}

async function holdersIn(files: CustomizationFiles, folder: string): Promise<Holder[]> {
  const directories = customizationLocations.flatMap((location): Holder[] => {
    if (location.contents !== 'hook') return [];
    const uri = childUri(folder, ...location.folder.split('/'));
    return [{ id: directoryAt(uri, location).id, uri, ...(location.only && { only: location.only }) }];
  });
  const plugins = (await findPlugins(files, folder)).map((plugin) => ({
    id: pluginAt(plugin).id,
    uri: childUri(plugin, 'hooks'),
    plugin: URI.parse(plugin).fsPath,
  }));
  return [...directories, ...plugins];
}

async function hooksOf(
  files: CustomizationFiles,
  folder: string,
  { uri, only, plugin }: Holder,
  isOff: (id: string) => boolean,
): Promise<ParsedHooks> {
  const base = { folder: URI.parse(folder).fsPath, ...(plugin !== undefined && { plugin }) };
  const from = pathBelow(folder, uri);
  try {
    const read = await readChildren(files, uri, { contents: 'hook', ...(only && { only }) });
    const hooks: Hook[] = [];
    const problems = read.problems.map((it) => problemIn(from, it));
    for (const file of new Set(read.children.map((it) => it.uri))) {
      const source = await files.read(file);
      if (source === undefined) continue;
      const location = { ...base, path: pathBelow(folder, file) };
      const parsed = parseHooks(source, location, (name) => !isOff(idOf(file, name)));
      hooks.push(...parsed.hooks);
      problems.push(...parsed.problems);
    }
    return { hooks, problems };
  } catch (thrown) {
    return { hooks: [], problems: [{ file: from, why: thrown instanceof Error ? thrown.message : String(thrown) }] };
  }
}

/** @param problem begins with the name of its file, unless it is about the folder, and may go on with a line */
function problemIn(folder: string, problem: string): HookProblem {
  const [, name, why = problem, line] = /^(.+?): ((?:line (\d+))?.*)$/s.exec(problem) ?? [];
  if (name === undefined) return { file: folder, why };
  return { file: `${folder}/${name}${line === undefined ? '' : `:${line}`}`, why };
}

function pathBelow(folder: string, uri: string): string {
  return decodeURIComponent(uri.slice(folder.replace(/\/$/, '').length + 1));
}
