import { findNodeAtLocation, getNodeValue } from 'jsonc-parser';
import type { ConfigProblem } from '../problem.ts';
import { readConfig } from '../readConfig.ts';
import { ConfigText } from '../text.ts';
import { type Completion, completionAt } from './completion.ts';
import { type GatewayFacts, Names } from './facts.ts';
import { type Hover, hoverAt } from './hover.ts';
import type { Path } from './references.ts';
import { unknownNames } from './unknownNames.ts';

/** What an editor asks about the text of `switchboard.jsonc`. Places are counted in UTF-16 units from its start. */
export interface ConfigLanguage {
  /** Everything wrong or doubtful, in the order of the text. */
  diagnostics(text: string): Promise<readonly ConfigProblem[]>;
  completion(text: string, offset: number): Promise<readonly Completion[]>;
  hover(text: string, offset: number): Promise<Hover | undefined>;
}

/** A text as it is being written: what of it can be read, and all names there are. */
export interface Draft {
  readonly text: string;
  readonly source: ConfigText;
  readonly names: Names;
  /** The value at a place, if any. */
  at(path: Path): unknown;
}

/** @param facts what the running gateway knows; asked each time, so it should answer from memory */
export function openConfigLanguage(facts: () => Promise<GatewayFacts>): ConfigLanguage {
  async function draft(text: string): Promise<Draft> {
    const source = new ConfigText(text);
    return {
      text,
      source,
      names: new Names(source.value, await facts()),
      at(path) {
        const node = source.root && findNodeAtLocation(source.root, [...path]);
        return node && (getNodeValue(node) as unknown);
      },
    };
  }

  return {
    async diagnostics(text) {
      const read = readConfig(text);
      const known = await draft(text);
      const found = 'config' in read ? read.warnings : read.problems;
      const all = [...found.filter((it) => !isKnown(it, known)), ...unknownNames(known, found)];
      return all.toSorted((a, b) => a.offset - b.offset);
    },
    completion: async (text, offset) => completionAt(await draft(text), offset),
    hover: async (text, offset) => hoverAt(await draft(text), offset),
  };
}

/** The file alone does not have the name, but the gateway does. */
function isKnown({ kind, path, offset, length }: ConfigProblem, { text, names }: Draft): boolean {
  if (kind !== 'warning') return false;
  const marked = text.slice(offset, offset + length).replace(/^"|"$/g, '');
  if (path.endsWith('.server_id')) return names.server(marked) !== undefined;
  if (path.endsWith('.organization_id')) return names.of('organization').includes(marked);
  return path.endsWith('.budget_id') && names.of('budget').includes(marked);
}
