/** `dist/chatturns.cjs`: read when a toolbar of a chat's transcript is first used, or its text is opened. */
export { openChatTexts } from './webviews/chat/text/chatTexts.ts';
export { openCodeProposals } from './webviews/chat/turns/codeProposals.ts';
export { openChatTurns } from './webviews/chat/turns/openChatTurns.ts';
