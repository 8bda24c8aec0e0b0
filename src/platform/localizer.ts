import { hostWordsOf, type Translations } from '../../sidecar/protocol/words/hostWords.ts';

/** The part of `vscode.l10n` that pure code needs. Handed in, so that nodes and texts are tested without an editor. */
export interface Localizer {
  t(message: string, ...args: (string | number | boolean)[]): string;
  /** The editor's translations; absent in English. */
  readonly bundle?: Translations | undefined;
}

const known = new WeakMap<Translations, (text: string) => string>();

/** What the host says, in the editor's language. It comes in English. */
export function fromHost({ bundle }: Localizer, text: string): string {
  if (!bundle) return text;
  let translate = known.get(bundle);
  if (!translate) known.set(bundle, (translate = hostWordsOf(bundle)));
  return translate(text);
}
