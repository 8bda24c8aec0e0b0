/** `dist/sessions.cjs`: read when the view Sessions is first seen, or one of its commands is used. */
export { openSessions } from './views/sessions/openSessions.ts';
