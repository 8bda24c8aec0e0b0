/** `dist/chatturns.cjs`: read when a toolbar of a chat's transcript is first used. */
export { openChatTurns } from './webviews/chat/turns/openChatTurns.ts';
