import * as vscode from 'vscode';

const start = 'data:image/svg+xml;base64,';

/** Pictures of the registry have the color of the text around them; as the background of a row there is none. */
export function themedIcon(icon: string | undefined): vscode.IconPath {
  if (icon === undefined) return new vscode.ThemeIcon('hubot');
  if (!icon.startsWith(start)) return vscode.Uri.parse(icon);
  const svg = Buffer.from(icon.slice(start.length), 'base64').toString('utf8');
  const colored = (color: string) =>
    vscode.Uri.parse(`${start}${Buffer.from(svg.replaceAll('currentColor', color)).toString('base64')}`);
  return { light: colored('#424242'), dark: colored('#cccccc') };
}
