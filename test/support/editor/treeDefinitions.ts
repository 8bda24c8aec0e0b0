import { registerHooks } from 'node:module';
import type { TreeDefinition } from '../../../src/views/definition.ts';

export interface ViewManifest {
  readonly contributes: {
    readonly commands: readonly { readonly command: string }[];
    readonly views: Readonly<Record<string, readonly { readonly id: string; readonly type?: string }[]>>;
  };
}

type Defined = Pick<TreeDefinition, 'id' | 'commands'>;

/** The definitions of the tree views, outside of an editor: what they open is not called. */
export async function treeDefinitions(): Promise<readonly TreeDefinition[]> {
  const hooks = registerHooks({
    resolve: (specifier, context, next) =>
      specifier === 'vscode'
        ? { url: 'data:text/javascript,export {};', shortCircuit: true }
        : next(specifier, context),
  });
  try {
    return (await import('../../../src/views/index.ts')).treeViews;
  } finally {
    hooks.deregister();
  }
}

/** Where `package.json` and the definitions disagree, a sentence each. @param folders those of src/views with a `view.ts` */
export function disagreements(
  { contributes }: ViewManifest,
  listed: readonly Defined[],
  otherCommands: readonly string[],
  folders: readonly string[],
): string[] {
  const contributed = Object.values(contributes.views)
    .flat()
    .filter((it) => it.type === undefined || it.type === 'tree')
    .map((it) => it.id);
  const commands = contributes.commands.map((it) => it.command);
  const ids = listed.map((it) => it.id);
  const run = listed.flatMap((it) => Object.keys(it.commands ?? {}).map((command) => ({ view: it.id, command })));
  const known = new Set([...otherCommands, ...run.map((it) => it.command)]);
  return [
    ...missing(contributed, ids).map(
      (it) => `package.json contributes the tree view ${it}, which src/views does not define`,
    ),
    ...missing(ids, contributed).map(
      (it) => `src/views defines ${it}, which package.json does not contribute as a tree view`,
    ),
    ...twice(ids).map((it) => `src/views defines ${it} twice`),
    ...run
      .filter((it) => !commands.includes(it.command))
      .map((it) => `${it.view} runs ${it.command}, which package.json does not contribute`),
    ...commands
      .filter((it) => !known.has(it))
      .map(
        (it) => `package.json contributes the command ${it}, which neither src/manifest nor a view of src/views names`,
      ),
    ...twice(run.map((it) => it.command)).map((it) => `two views run ${it}`),
    ...missing(folders, ids.map(folderOf)).map(
      (it) => `src/views/${it}/view.ts is not in the list of src/views/index.ts`,
    ),
  ];
}

/** A view lies in the folder of its id's last word. */
export const folderOf = (id: string) => id.slice(id.lastIndexOf('.') + 1);
const missing = (from: readonly string[], there: readonly string[]) => from.filter((it) => !there.includes(it));
const twice = (all: readonly string[]) => [...new Set(all.filter((it, at) => all.indexOf(it) !== at))];
