/** How the facts of the host name their source. */
export const document = 'host specification';
