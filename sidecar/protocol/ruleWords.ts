import { visibleText } from './visibleText.ts';

/** All that a rule allows, for a person: the pattern of a command or tool by itself, that of files and addresses with what it is about. */
export function ruleWords(target: string | undefined, pattern: string): string {
  const words = visibleText(pattern);
  return target === 'edit' || target === 'read' || target === 'fetch' ? `${target} ${words}` : words;
}
