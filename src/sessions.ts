/** `dist/sessions.cjs`: loaded when the view Sessions is first seen, or one of its commands is used. */
export { openSessions } from './views/sessions/openSessions.ts';
