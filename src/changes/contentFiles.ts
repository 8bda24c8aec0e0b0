import * as vscode from 'vscode';
import { errorCodes } from '../../sidecar/protocol/errors.ts';
import { errorCodeOf } from '../client/connection.ts';
import { farFileOf, hostContentOf, NO_CONTENT } from '../client/contentUris.ts';
import type { HostPort } from '../client/port.ts';
import { nowMs } from '../platform/clock.ts';
import { KeptContents } from './keptContents.ts';

/** Of bytes that were read, so much is kept: a diff asks for each side twice. */
const MAX_KEPT_BYTES = 16 * 1024 * 1024;

/** Answers what is at a host: of this machine for no authority, elsewhere for its own. */
type PortAt = (authority: string) => Pick<HostPort, 'request'> | undefined;

/**
 * Stored bytes as files: a text document would lose what is binary, a byte order mark and line ends. Their URI names
 * their hash, so they never change. Files of a host elsewhere are read there, each time anew.
 */
export class ContentFiles implements Pick<vscode.FileSystemProvider, 'stat' | 'readFile'> {
  readonly #portAt: PortAt;
  readonly #kept = new KeptContents(MAX_KEPT_BYTES);

  constructor(portAt: PortAt) {
    this.#portAt = portAt;
  }

  async stat(uri: vscode.Uri): Promise<vscode.FileStat> {
    const { byteLength } = await this.readFile(uri);
    return {
      type: vscode.FileType.File,
      ctime: 0,
      mtime: farFileOf(uri.authority, uri.query) === undefined ? 0 : nowMs(),
      size: byteLength,
      permissions: vscode.FilePermission.Readonly,
    };
  }

  async readFile(uri: vscode.Uri): Promise<Uint8Array> {
    if (uri.query === NO_CONTENT) return new Uint8Array();
    const content = hostContentOf(uri.query);
    const file = farFileOf(uri.authority, uri.query);
    if (file !== undefined) return this.#fetch(file, uri);
    if (content === undefined) throw vscode.FileSystemError.FileNotFound(uri);
    return this.#kept.get(content, () => this.#fetch(content, uri));
  }

  async #fetch(content: string, uri: vscode.Uri): Promise<Uint8Array> {
    const port = this.#portAt(uri.authority);
    if (!port) throw vscode.FileSystemError.Unavailable(uri);
    try {
      const { data, encoding } = await port.request('resourceRead', { uri: content, encoding: 'base64' });
      return new Uint8Array(Buffer.from(data, encoding === 'base64' ? 'base64' : 'utf8'));
    } catch (error) {
      const code = errorCodeOf(error);
      if (code === errorCodes.ContentNotFound || code === errorCodes.NotFound) {
        throw vscode.FileSystemError.FileNotFound(uri);
      }
      throw vscode.FileSystemError.Unavailable(uri);
    }
  }
}
