import type { OptionProperty } from '../options.ts';

export type Mode = 'build' | 'plan' | 'chat';

export const USUAL_MODE: Mode = 'build';

export const isMode = (value: unknown): value is Mode => value === 'build' || value === 'plan' || value === 'chat';

/** In every mode, the host decides about each tool call. */
export const modeOption = (value: Mode): OptionProperty => ({
  id: 'mode',
  title: 'Mode',
  values: [
    { id: 'build', label: 'Build', description: 'Changes files and runs commands.' },
    { id: 'plan', label: 'Plan', description: 'Reads only, and ends with a plan that you can edit and start.' },
    { id: 'chat', label: 'Chat', description: 'Answers without tools.' },
  ],
  value,
});
