/** The tools that stand for a long list. A server's own tool of such a name goes first. */
export const metaNames = { search: 'search_tools', call: 'call_tool' } as const;
