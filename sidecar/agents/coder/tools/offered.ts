import type { OfferedTool, OfferedTools } from '../../provider.ts';
import type { FunctionTool } from '../models/languageModel.ts';

const anything = { type: 'object' } as const;
const LONGEST_NAME = 64;

/** Tools of the session, with names that every provider accepts. */
export interface NamedOffers {
  readonly tools: readonly FunctionTool[];
  /** The session's name of each tool, by the name that the model gets. */
  readonly names: ReadonlyMap<string, string>;
}

/** @param taken the names of the agent's own tools */
export function nameOffers(offered: readonly OfferedTool[], taken: ReadonlySet<string>): NamedOffers {
  const names = new Map<string, string>();
  const tools = offered.map((it): FunctionTool => {
    const name = freeName(it.name, (other) => taken.has(other) || names.has(other));
    names.set(name, it.name);
    const description = it.description ?? it.title;
    return {
      type: 'function',
      name,
      ...(description !== undefined && { description }),
      inputSchema: (it.inputSchema ?? anything) as FunctionTool['inputSchema'],
    };
  });
  return { tools, names };
}

function freeName(own: string, isTaken: (name: string) => boolean): string {
  const plain = own.replace(/[^a-zA-Z0-9_-]/g, '_').slice(0, LONGEST_NAME);
  let name = plain;
  for (let n = 2; isTaken(name); n += 1) name = `${plain.slice(0, LONGEST_NAME - 4)}_${n}`;
  return name;
}

/** Calls a tool of the session. The host shows the call and decides about it. */
export async function callOffered(
  tools: OfferedTools,
  name: string,
  input: Readonly<Record<string, unknown>>,
): Promise<{ readonly text: string; readonly hasFailed: boolean }> {
  const { success, content, structuredContent, error } = await tools.call(name, input);
  const texts = content.map((it) => (it.kind === 'text' ? it.text : `(data of type ${it.contentType})`));
  if (texts.length === 0 && structuredContent) texts.push(JSON.stringify(structuredContent));
  if (!success && error !== undefined) texts.unshift(error);
  return { text: texts.join('\n'), hasFailed: !success };
}
