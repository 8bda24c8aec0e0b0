import { configurationReference } from './configuration.ts';
import { settingsReference } from './settings.ts';

/** The generated documents, by their file at the top level. */
export const references = (): readonly { readonly file: string; readonly text: string }[] => [
  { file: 'SETTINGS.md', text: settingsReference() },
  { file: 'CONFIGURATION.md', text: configurationReference() },
];
