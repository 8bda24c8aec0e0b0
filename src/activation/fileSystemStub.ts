import * as vscode from 'vscode';

/** Read-only files, which are fetched when the first one is opened. */
export class FileSystemStub implements vscode.FileSystemProvider {
  readonly onDidChangeFile = new vscode.EventEmitter<vscode.FileChangeEvent[]>().event;
  readonly #files: () => Pick<vscode.FileSystemProvider, 'stat' | 'readFile'>;

  constructor(files: () => Pick<vscode.FileSystemProvider, 'stat' | 'readFile'>) {
    this.#files = files;
  }

  stat(uri: vscode.Uri) {
    return this.#files().stat(uri);
  }
  readFile(uri: vscode.Uri) {
    return this.#files().readFile(uri);
  }
  watch(): vscode.Disposable {
    return new vscode.Disposable(() => {});
  }
  readDirectory(): [string, vscode.FileType][] {
    return [];
  }
  createDirectory(uri: vscode.Uri): never {
    throw vscode.FileSystemError.NoPermissions(uri);
  }
  writeFile(uri: vscode.Uri): never {
    throw vscode.FileSystemError.NoPermissions(uri);
  }
  delete(uri: vscode.Uri): never {
    throw vscode.FileSystemError.NoPermissions(uri);
  }
  rename(uri: vscode.Uri): never {
    throw vscode.FileSystemError.NoPermissions(uri);
  }
}
