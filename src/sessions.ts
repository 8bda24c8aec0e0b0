/** `dist/sessions.cjs`: loaded when the view Sessions is first seen, one of its commands is used, or old sessions are deleted. */
export { openSessions } from './views/sessions/openSessions.ts';
export { deleteOldSessions } from './views/sessions/retention/oldSessions.ts';
