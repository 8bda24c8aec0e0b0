import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export type EditorLanguage = 'de' | 'zh-cn';

/**
 * The arguments of a desktop editor that speaks a language. It reads in `languagepacks.json` which packs are installed; this
 * one has no words of the editor's own, so that only the extension's are translated.
 */
export function languageArguments(language: EditorLanguage | undefined, userData: string): readonly string[] {
  if (language === undefined) return [];
  installPack(language, userData);
  return ['--locale', language];
}

/** As {@link languageArguments}, for a served editor: it looks up its language as a window opens. */
export function writeLanguage(language: EditorLanguage, userData: string): void {
  installPack(language, userData);
  writeFileSync(join(userData, 'User', 'argv.json'), JSON.stringify({ locale: language }));
}

function installPack(language: EditorLanguage, userData: string): void {
  const words = join(userData, 'no-words.json');
  const extensions = [{ extensionIdentifier: { id: `tests.language-pack-${language}` }, version: '1.0.0' }];
  const pack = { hash: language, label: language, extensions, translations: { vscode: words } };
  mkdirSync(userData, { recursive: true });
  writeFileSync(words, JSON.stringify({ version: '1.0.0', contents: {} }));
  writeFileSync(join(userData, 'languagepacks.json'), JSON.stringify({ [language]: pack }));
}
