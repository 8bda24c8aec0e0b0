/** Where the browser keeps the style and the script of the chat page: first the style, then a character that neither contains. */
export const keptParts = 'switchboard-chat-page';
export const betweenParts = '\0';
/** The function by which the script of the chat page imports files. */
export const importer = 'importFile';
