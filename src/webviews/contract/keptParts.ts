/** Where the browser keeps the style and the script of the chat page: first the style, then a character that neither contains. */
export const keptParts = 'switchboard-chat-page';
export const betweenParts = '\0';
