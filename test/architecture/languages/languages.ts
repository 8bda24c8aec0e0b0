import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { hostMark } from '../../../sidecar/protocol/words/hostWords.ts';
import type { Language } from '../../../sidecar/protocol/words/languages.ts';
import { projectRoot } from '../../support/cache.ts';
import { textsInCode } from '../../support/texts.ts';
import { hostTexts } from './hostTexts.ts';

type Texts = Readonly<Record<string, string>>;

/** What is wrong with the file of a language. */
export interface Gaps {
  readonly file: string;
  /** English texts without a translation. */
  readonly missing: readonly string[];
  /** Keys that no text has any more. */
  readonly leftOver: readonly string[];
  /** Translations that are empty, or whose placeholders, links or code are not those of the English text. */
  readonly unequal: readonly string[];
}

const read = (file: string): Texts =>
  existsSync(join(projectRoot, file)) ? (JSON.parse(readFileSync(join(projectRoot, file), 'utf8')) as Texts) : {};

/** Reading the code takes seconds, and it is the same for every language. */
let inCode: Texts | undefined;

/** Every file of every language against what the manifest, the code, the pages and the host say in English. */
export function gapsOf(language: Language): readonly Gaps[] {
  const manifest = read('package.nls.json');
  inCode ??= Object.fromEntries([
    ...textsInCode().texts.map((it) => [it, it] as const),
    ...hostTexts().map((it) => [`${it}${hostMark}`, it] as const),
  ]);
  return [
    compare(`package.nls.${language}.json`, manifest),
    compare(`media/l10n/bundle.l10n.${language}.json`, inCode),
  ];
}

function compare(file: string, english: Texts): Gaps {
  const translated = read(file);
  return {
    file,
    missing: Object.entries(english).flatMap(([key, text]) => (key in translated ? [] : [text])),
    leftOver: Object.keys(translated).filter((it) => !(it in english)),
    unequal: Object.entries(translated)
      .filter(([key, it]) => {
        const text = english[key];
        return text !== undefined && (it.trim() === '' || fixedOf(it) !== fixedOf(text));
      })
      .map(([key]) => key),
  };
}

/** What a translation has to repeat as it is, in any order: placeholders, links to commands, code, line ends. */
export function fixedOf(text: string): string {
  const found = text.match(/\{\w+\}|\]\([^)]+\)|`[^`]+`|\n/g) ?? [];
  return found.toSorted().join(' ');
}
