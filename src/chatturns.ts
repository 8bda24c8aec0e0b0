/** `dist/chatturns.cjs`: loaded when a toolbar or link of a chat's transcript is first used. */
export { openCodeProposals } from './webviews/chat/turns/codeProposals.ts';
export { openChatTurns } from './webviews/chat/turns/openChatTurns.ts';
