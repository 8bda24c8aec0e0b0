import type { Item } from '../../backends/mcp/listAll.ts';

/** How often a word counts in a name, and in a title; in a description, it counts once. */
const NAME_WEIGHT = 3;
const TITLE_WEIGHT = 2;
/** The parameters of BM25, as they are mostly chosen. */
const SATURATION = 1.2;
const LENGTH_INFLUENCE = 0.75;
/** A shorter beginning of a word matches too much. */
const MIN_BEGINNING = 3;
/** Of a query: what follows is not looked at. */
const MAX_WORDS = 32;

/** The words of the tools of one list. */
export interface ToolIndex {
  readonly tools: readonly Item[];
  /** By tool: its words, counted by their weight. */
  readonly lengths: readonly number[];
  readonly totalLength: number;
  /** By word: which tools have it, and its weight in each. */
  readonly words: ReadonlyMap<string, readonly Occurrence[]>;
}
interface Occurrence {
  readonly tool: number;
  readonly weight: number;
}

/** The words of a text: also those of `camelCase` and `snake_case`, in lower case, and in the singular. */
export function wordsOf(text: string): readonly string[] {
  const parted = text.normalize('NFKC').replace(/(\p{Ll}|\p{N})(\p{Lu})/gu, '$1 $2');
  const found = parted.toLowerCase().match(/\p{Script=Han}|(?:(?!\p{Script=Han})[\p{L}\p{N}])+/gu) ?? [];
  return found.map((it) => (it.length > MIN_BEGINNING ? it.replace(/(?<!s)s$/u, '') : it));
}

/** @param tools with the names under which they are called */
export function indexOf(tools: readonly Item[]): ToolIndex {
  const words = new Map<string, Occurrence[]>();
  const lengths = tools.map((tool, at) => {
    const weights = weightsOf(tool);
    let length = 0;
    for (const [word, weight] of weights) {
      const occurrences = words.get(word);
      if (occurrences) occurrences.push({ tool: at, weight });
      else words.set(word, [{ tool: at, weight }]);
      length += weight;
    }
    return length;
  });
  return { tools, lengths, totalLength: lengths.reduce((sum, it) => sum + it, 0), words };
}

function weightsOf({ name, title, description }: Item): ReadonlyMap<string, number> {
  const weights = new Map<string, number>();
  const add = (text: unknown, weight: number) => {
    if (typeof text !== 'string') return;
    for (const word of wordsOf(text)) weights.set(word, (weights.get(word) ?? 0) + weight);
  };
  add(name, NAME_WEIGHT);
  add(title, TITLE_WEIGHT);
  add(description, 1);
  return weights;
}

/** A tool of one of the lists that are searched. */
export interface Match {
  readonly list: number;
  readonly tool: number;
}

/**
 * The tools that match a query, the best one first (BM25). A tool that is named exactly as the query comes before all others.
 * A word that no tool has stands for the words that begin with it.
 *
 * @param mayShow asked about matches alone, from the best one on
 */
export function rank(
  lists: readonly ToolIndex[],
  query: string,
  limit: number,
  mayShow: (match: Match) => boolean,
): readonly Match[] {
  const count = lists.reduce((sum, it) => sum + it.tools.length, 0);
  const meanLength = lists.reduce((sum, it) => sum + it.totalLength, 0) / Math.max(count, 1);
  const scores = lists.map(() => new Map<number, number>());
  for (const word of new Set(wordsOf(query).slice(0, MAX_WORDS))) {
    const found = occurrencesOf(lists, word);
    const holders = found.reduce((sum, it) => sum + it.length, 0);
    const rarity = Math.log(1 + (count - holders + 0.5) / (holders + 0.5));
    for (const [list, occurrences] of found.entries())
      for (const { tool, weight } of occurrences) {
        const relativeLength = (lists[list]?.lengths[tool] ?? 0) / meanLength;
        const damping = SATURATION * (1 - LENGTH_INFLUENCE + LENGTH_INFLUENCE * relativeLength);
        const score = (rarity * weight * (SATURATION + 1)) / (weight + damping);
        scores[list]?.set(tool, (scores[list].get(tool) ?? 0) + score);
      }
  }
  const wanted = query.trim();
  const matches = scores.flatMap((found, list) =>
    [...found].map(([tool, score]) => {
      const isNamed = lists[list]?.tools[tool]?.['name'] === wanted;
      return { list, tool, score: isNamed ? Infinity : score };
    }),
  );
  // Of equal ones, the first of the lists.
  const sorted = matches.sort((a, b) => (a.score === b.score ? a.list - b.list || a.tool - b.tool : b.score - a.score));
  const shown: Match[] = [];
  for (const { list, tool } of sorted) {
    if (shown.length >= limit) break;
    if (mayShow({ list, tool })) shown.push({ list, tool });
  }
  return shown;
}

/** By list. */
function occurrencesOf(lists: readonly ToolIndex[], word: string): readonly (readonly Occurrence[])[] {
  const exact = lists.map((it) => it.words.get(word) ?? []);
  if (word.length < MIN_BEGINNING || exact.some((it) => it.length > 0)) return exact;
  return lists.map(({ words }) => {
    const weights = new Map<number, number>();
    for (const [longer, occurrences] of words) {
      if (!longer.startsWith(word)) continue;
      for (const { tool, weight } of occurrences) weights.set(tool, Math.max(weights.get(tool) ?? 0, weight));
    }
    return [...weights].map(([tool, weight]) => ({ tool, weight }));
  });
}
