import type { OptionProperty } from '../options.ts';

export type Mode = 'build' | 'plan' | 'chat';

export const USUAL_MODE: Mode = 'build';

export const isMode = (value: unknown): value is Mode => value === 'build' || value === 'plan' || value === 'chat';

/** What a person chooses from. None of them lets the agent decide by itself: the host asks in each. */
export const modeOption = (value: Mode): OptionProperty => ({
  id: 'mode',
  title: 'Mode',
  values: [
    { id: 'build', label: 'Build', description: 'Changes files and runs commands.' },
    { id: 'plan', label: 'Plan', description: 'Only reads, and ends with a plan that you can change and start.' },
    { id: 'chat', label: 'Chat', description: 'Answers without tools.' },
  ],
  value,
});
