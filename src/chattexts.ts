/** `dist/chattexts.cjs`: loaded when a chat is first opened as text. */
export { openChatTexts } from './webviews/chat/text/chatTexts.ts';
