/** Words of others, for a label in which the editor would draw `$(icon)`. */
export const withoutIcons = (text: string): string => text.replaceAll('$(', '$\u200b(');
