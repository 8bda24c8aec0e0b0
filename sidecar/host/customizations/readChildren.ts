import type { ChildCustomization } from '../../protocol/channels/session/customizations.ts';
import type { Contents, CustomizationLocation } from './customizationLocations.ts';
import { type CustomizationFiles, childUri } from './files.ts';
import { type FrontMatter, parseFrontMatter } from './frontMatter.ts';
import { hookChildren, idOf, serverChildren } from './jsonChildren.ts';

/** A folder that holds more is cut off: nobody reads so long a list. */
const MAX_CHILDREN = 500;
const MAX_DEPTH = 4;

export interface ReadChildren {
  readonly children: readonly ChildCustomization[];
  /** What could not be read, one sentence each. */
  readonly problems: readonly string[];
}

/** What is in `folder`, in order of the paths. Rejects when the folder itself cannot be read. */
export async function readChildren(
  files: CustomizationFiles,
  folder: string,
  { contents, only }: Pick<CustomizationLocation, 'contents' | 'only'>,
): Promise<ReadChildren> {
  const found = only ?? (await find(files, folder, contents));
  const children: ChildCustomization[] = [];
  const problems: string[] = [];
  for (const path of found.slice(0, MAX_CHILDREN)) {
    const uri = childUri(folder, ...path.split('/'));
    try {
      const source = await files.read(uri);
      if (source === undefined) continue;
      const read = readOne(contents, uri, path, source);
      children.push(...read.children);
      if (read.problem !== undefined) problems.push(`${path}: ${read.problem}`);
    } catch (thrown) {
      problems.push(`${path}: ${thrown instanceof Error ? thrown.message : String(thrown)}`);
    }
  }
  if (found.length > MAX_CHILDREN) problems.push(`only the first ${MAX_CHILDREN} of ${found.length} were read`);
  return { children, problems };
}

const suffixes: Readonly<Record<Contents, RegExp>> = {
  agent: /\.(?:agent\.)?md$/,
  skill: /\/SKILL\.md$/,
  prompt: /\.(?:prompt\.)?md$/,
  rule: /\.(?:instructions\.md|mdc|md)$/,
  hook: /\.json$/,
  mcpServer: /\.json$/,
};

async function find(files: CustomizationFiles, folder: string, contents: Contents): Promise<string[]> {
  const found: string[] = [];
  const waiting: string[][] = [[]];
  for (let at = waiting.shift(); at && found.length <= MAX_CHILDREN; at = waiting.shift()) {
    for (const { name, isFolder } of (await files.list(childUri(folder, ...at))) ?? []) {
      const path = [...at, name];
      if (isFolder && path.length < MAX_DEPTH) waiting.push(path);
      else if (!isFolder && suffixes[contents].test(`/${path.join('/')}`) && name !== 'README.md')
        found.push(path.join('/'));
    }
  }
  return found.sort();
}

function readOne(contents: Contents, uri: string, path: string, source: string) {
  if (contents === 'hook') return hookChildren(uri, source);
  if (contents === 'mcpServer') return serverChildren(uri, source);
  const { matter, problem } = parseFrontMatter(source);
  const child = toChild(contents, uri, matter.name ?? plainName(contents, path), matter, path);
  return { children: [child], ...(problem !== undefined && { problem }) };
}

function toChild(
  type: 'agent' | 'skill' | 'prompt' | 'rule',
  uri: string,
  name: string,
  matter: FrontMatter,
  path: string,
): ChildCustomization {
  const base = {
    id: idOf(uri, type),
    uri,
    name,
    ...(matter.description !== undefined && { description: matter.description }),
  };
  const isHidden = (matter['user-invocable'] ?? matter['user-invokable']) === false;
  const invocation = {
    ...(matter['disable-model-invocation'] && { disableModelInvocation: true }),
    ...(isHidden && { disableUserInvocation: true }),
  };
  switch (type) {
    case 'agent': {
      const model = matter.model?.[0];
      return {
        type,
        ...base,
        ...invocation,
        ...(model !== undefined && { model }),
        ...(matter.tools && { tools: matter.tools }),
      };
    }
    case 'skill':
      return { type, ...base, ...invocation };
    case 'prompt':
      return { type, ...base };
    case 'rule': {
      const globs = matter.globs ?? matter.applyTo ?? matter.paths;
      const alwaysApply = matter.alwaysApply ?? (wholeWorkspace.test(path) ? true : undefined);
      return {
        type,
        ...base,
        ...(globs && globs.length > 0 && { globs }),
        ...(alwaysApply !== undefined && { alwaysApply }),
      };
    }
  }
}

/** Files that hold for everything below their folder. */
const wholeWorkspace = /(?:^|\/)(?:AGENTS|CLAUDE|GEMINI|copilot-instructions)\.md$/;

function plainName(contents: Contents, path: string): string {
  const names = path.split('/');
  const name = contents === 'skill' ? (names.at(-2) ?? path) : (names.at(-1) ?? path);
  return contents === 'skill' ? name : name.replace(/(?:\.(?:agent|prompt|instructions))?\.(?:md|mdc)$/, '');
}
