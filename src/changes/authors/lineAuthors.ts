import * as vscode from 'vscode';
import type { LineAuthorsResult } from '../../../sidecar/protocol/channels/changeset/lineAuthors.ts';
import type { RootState } from '../../../sidecar/protocol/channels/root/schema.ts';
import { ROOT } from '../../../sidecar/protocol/uris.ts';
import type { HostPort } from '../../client/port.ts';
import { commandIds, settingIds } from '../../manifest/manifest.ts';
import { nowMs } from '../../platform/clock.ts';
import { whyOf } from '../../platform/whyOf.ts';
import { type AuthorContext, authorAt, factsOf, noteOf } from './authorTexts.ts';

interface Asked {
  readonly uri: string;
  readonly version: number;
  readonly result: Promise<LineAuthorsResult>;
}

/** Which session, prompt and approval wrote the lines of a file. Asked of the host when a person wants to know. */
export class LineAuthors implements vscode.Disposable {
  readonly #port: HostPort;
  readonly #mark = vscode.window.createTextEditorDecorationType({
    isWholeLine: true,
    borderWidth: '0 0 0 2px',
    borderStyle: 'solid',
    borderColor: new vscode.ThemeColor('editorGutter.modifiedBackground'),
    overviewRulerColor: new vscode.ThemeColor('editorGutter.modifiedBackground'),
  });
  readonly #stop: vscode.Disposable;
  /** Files whose lines are all marked. */
  readonly #marked = new Set<string>();
  #asked: Asked | undefined;
  /** The line that a command asked about: its hover shows it, whatever the setting is. */
  #wanted: { readonly uri: string; readonly line: number } | undefined;

  /** @param onDidChange something changed a file, or what is known of it */
  constructor(port: HostPort, onDidChange: vscode.Event<void>) {
    this.#port = port;
    // What cannot be asked now is not asked again with each change: the person turns it on again.
    const draw = () =>
      void this.#draw().catch((error: unknown) => {
        this.#marked.clear();
        void vscode.window.showErrorMessage(whyOf(error));
      });
    this.#stop = vscode.Disposable.from(
      this.#mark,
      vscode.languages.registerHoverProvider(
        { scheme: 'file' },
        { provideHover: (document, at) => this.#hover(document, at) },
      ),
      onDidChange(() => {
        this.#asked = undefined;
        draw();
      }),
      vscode.window.onDidChangeVisibleTextEditors(draw),
      vscode.workspace.onDidSaveTextDocument(draw),
    );
  }

  async showLine(): Promise<void> {
    const editor = vscode.window.activeTextEditor;
    if (editor?.document.uri.scheme !== 'file') return showNoFile();
    this.#wanted = { uri: editor.document.uri.toString(), line: editor.selection.active.line };
    await vscode.commands.executeCommand('editor.action.showHover');
  }

  async toggle(): Promise<void> {
    const editor = vscode.window.activeTextEditor;
    if (editor?.document.uri.scheme !== 'file') return showNoFile();
    const uri = editor.document.uri.toString();
    if (!this.#marked.delete(uri)) this.#marked.add(uri);
    await this.#draw();
  }

  async writeNote(): Promise<void> {
    const folders = vscode.workspace.workspaceFolders ?? [];
    const folder = folders.length > 1 ? await vscode.window.showWorkspaceFolderPick() : folders[0];
    if (!folder) return;
    const commit = await vscode.window.showInputBox({
      title: vscode.l10n.t('Add Agents to Git Note'),
      prompt: vscode.l10n.t("The commit to add the note to. The note lists the agents that wrote the commit's lines."),
      value: 'HEAD',
      ignoreFocusOut: true,
    });
    if (commit === undefined || commit.trim() === '') return;
    const params = { folder: folder.uri.toString(), commit: commit.trim() };
    const { commit: id, lines } = await this.#port.request('x-switchboard/noteAuthors', params);
    const short = id.slice(0, 10);
    void vscode.window.showInformationMessage(
      lines === 1
        ? vscode.l10n.t('The note for commit {0} lists the agent that wrote 1 line.', short)
        : vscode.l10n.t('The note for commit {0} lists the agents that wrote {1} lines.', short, lines),
    );
  }

  dispose(): void {
    this.#stop.dispose();
  }

  async #hover(document: vscode.TextDocument, { line }: vscode.Position): Promise<vscode.Hover | undefined> {
    const uri = document.uri.toString();
    const isWanted = this.#wanted?.uri === uri && this.#wanted.line === line;
    this.#wanted = undefined;
    if (!isWanted && !vscode.workspace.getConfiguration().get(settingIds.authorsInHover, false)) return undefined;
    const author = authorAt(await this.#ask(document), line);
    if (!author)
      return isWanted ? new vscode.Hover(vscode.l10n.t('No agent in your sessions wrote this line.')) : undefined;
    const text = new vscode.MarkdownString();
    text.isTrusted = { enabledCommands: [commandIds.openSession] };
    for (const [name, value] of factsOf(vscode.l10n, author, this.#context))
      text
        .appendMarkdown('**')
        .appendText(name)
        .appendMarkdown('** ')
        .appendText(value.replaceAll(/\s+/g, ' '))
        .appendMarkdown('  \n');
    const argument = encodeURIComponent(JSON.stringify([author.session]));
    text.appendMarkdown(`\n[${vscode.l10n.t('Open Session')}](command:${commandIds.openSession}?${argument})`);
    return new vscode.Hover(text);
  }

  /** Once for each version of a file. */
  #ask(document: vscode.TextDocument): Promise<LineAuthorsResult> {
    const [uri, { version }] = [document.uri.toString(), document];
    if (this.#asked?.uri === uri && this.#asked.version === version) return this.#asked.result;
    const result = this.#port.request('x-switchboard/lineAuthors', { uri, text: document.getText() });
    this.#asked = { uri, version, result };
    return result;
  }

  async #draw(): Promise<void> {
    for (const editor of vscode.window.visibleTextEditors) {
      const { document } = editor;
      if (!this.#marked.has(document.uri.toString())) {
        editor.setDecorations(this.#mark, []);
        continue;
      }
      const { ranges, authors } = await this.#ask(document);
      editor.setDecorations(
        this.#mark,
        ranges.flatMap(({ start, end, author }) => {
          const contentText = noteOf(vscode.l10n, authors[author]!, this.#context);
          const color = new vscode.ThemeColor('editorCodeLens.foreground');
          const note = { after: { contentText, color, margin: '0 0 0 3em', fontStyle: 'italic' } };
          const lines = Array.from({ length: end - start }, (_, at) => document.lineAt(start + at).range);
          return lines.map((range, at) => ({ range, ...(at === 0 && { renderOptions: note }) }));
        }),
      );
    }
  }

  get #context(): AuthorContext {
    const root = this.#port.open<RootState>(ROOT);
    const agents = root.shown?.agents ?? [];
    root.dispose();
    return { nowMs: nowMs(), agentName: (id) => agents.find((it) => it.provider === id)?.displayName ?? id };
  }
}

function showNoFile(): void {
  void vscode.window.showInformationMessage(vscode.l10n.t('Open a file in this workspace first.'));
}
