import { configurationReference } from './configuration.ts';
import { settingsReference } from './settings.ts';

/** The documents that are generated, by name. */
export const references = () => ({
  'SETTINGS.md': settingsReference(),
  'CONFIGURATION.md': configurationReference(),
});
