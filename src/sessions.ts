/** `dist/sessions.cjs`: loaded when the view Sessions is first seen, or one of its commands is used. */
export { setBudget } from './commands/sessionBudget.ts';
export { openSessions } from './views/sessions/openSessions.ts';
