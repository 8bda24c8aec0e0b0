/**
 * Marks a text of a definition that the editor and the pages show: they translate it there, and the English text is the
 * key in their bundles.
 */
export const t = (text: string): string => text;
