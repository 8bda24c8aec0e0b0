import type { CustomizationKind } from './labels.ts';

export interface NewItem {
  /** Of the folder that has to be there. */
  readonly folder: string;
  readonly uri: string;
  readonly text: string;
}

/** Whether a name can be that of a file on every system, and of a customization. */
export function isName(name: string): boolean {
  return /^[\p{L}\p{N}_][\p{L}\p{N}_ -]{0,63}$/u.test(name) && name === name.trim();
}

/** The file of a new customization, as the programs of the field look for it in that directory. */
export function newItem(directory: string, contents: CustomizationKind, name: string): NewItem {
  const file = encodeURIComponent(name);
  const title = JSON.stringify(name);
  const matter = (...lines: readonly string[]) => `---\n${lines.join('\n')}\n---\n\n`;
  if (contents === 'skill') {
    const folder = `${directory}/${file}`;
    return { folder, uri: `${folder}/SKILL.md`, text: matter(`name: ${title}`, 'description: ""') };
  }
  const isGitHub = /\/\.github\/[^/]+$/.test(directory);
  const isCursor = /\/\.cursor\/[^/]+$/.test(directory);
  const at = (ending: string, text: string) => ({ folder: directory, uri: `${directory}/${file}${ending}`, text });
  switch (contents) {
    case 'agent':
      return at(isGitHub ? '.agent.md' : '.md', matter(`name: ${title}`, 'description: ""'));
    case 'prompt':
      return at(isGitHub ? '.prompt.md' : '.md', matter('description: ""'));
    default:
      if (isCursor) return at('.mdc', matter('alwaysApply: true'));
      return at(isGitHub ? '.instructions.md' : '.md', matter('applyTo: "**"'));
  }
}
