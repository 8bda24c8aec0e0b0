import * as vscode from 'vscode';
import { errorCodes } from '../../sidecar/protocol/errors.ts';
import { errorCodeOf } from '../client/connection.ts';
import type { HostPort } from '../client/port.ts';
import { CONTENT_SCHEME, hostContentOf } from './contentUris.ts';

/** Of bytes that were read, so much is kept: a diff asks for each side twice. */
const MAX_CACHED_BYTES = 16 * 1024 * 1024;

/** Stored bytes as read-only files. Their URI names their hash, so they never change (traps.md 23). */
export class ContentFileSystem implements vscode.FileSystemProvider {
  readonly onDidChangeFile = new vscode.EventEmitter<vscode.FileChangeEvent[]>().event;
  readonly #port: Pick<HostPort, 'request'>;
  readonly #cached = new Map<string, Uint8Array>();
  #cachedBytes = 0;

  constructor(port: Pick<HostPort, 'request'>) {
    this.#port = port;
  }

  async stat(uri: vscode.Uri): Promise<vscode.FileStat> {
    const { byteLength } = await this.readFile(uri);
    return {
      type: vscode.FileType.File,
      ctime: 0,
      mtime: 0,
      size: byteLength,
      permissions: vscode.FilePermission.Readonly,
    };
  }

  async readFile(uri: vscode.Uri): Promise<Uint8Array> {
    const content = hostContentOf(uri.query);
    if (content === undefined) throw vscode.FileSystemError.FileNotFound(uri);
    const known = this.#cached.get(content);
    if (known) return known;
    const bytes = await this.#fetch(content, uri);
    this.#keep(content, bytes);
    return bytes;
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

  async #fetch(content: string, uri: vscode.Uri): Promise<Uint8Array> {
    try {
      const { data, encoding } = await this.#port.request('resourceRead', { uri: content, encoding: 'base64' });
      return new Uint8Array(Buffer.from(data, encoding === 'base64' ? 'base64' : 'utf8'));
    } catch (error) {
      const code = errorCodeOf(error);
      if (code === errorCodes.ContentNotFound || code === errorCodes.NotFound) {
        throw vscode.FileSystemError.FileNotFound(uri);
      }
      throw vscode.FileSystemError.Unavailable(uri);
    }
  }

  #keep(content: string, bytes: Uint8Array): void {
    this.#cached.set(content, bytes);
    this.#cachedBytes += bytes.byteLength;
    for (const [oldest, { byteLength }] of this.#cached) {
      if (this.#cachedBytes <= MAX_CACHED_BYTES) break;
      this.#cached.delete(oldest);
      this.#cachedBytes -= byteLength;
    }
  }
}

export function registerContentFileSystem(port: Pick<HostPort, 'request'>): vscode.Disposable {
  return vscode.workspace.registerFileSystemProvider(CONTENT_SCHEME, new ContentFileSystem(port), {
    isReadonly: true,
    isCaseSensitive: true,
  });
}
