/** The part of `vscode.l10n` that pure code needs. Handed in, so that nodes and texts are tested without an editor. */
export interface Localizer {
  t(message: string, ...args: (string | number | boolean)[]): string;
}
