/** `dist/attach.cjs`: read when something is first attached to a message. */
export { openAttaching } from './webviews/chat/attach/openAttaching.ts';
