/** `dist/attach.cjs`: loaded when something is first attached to a message. */
export { openAttaching } from './webviews/chat/attach/openAttaching.ts';
