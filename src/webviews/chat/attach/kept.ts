import * as vscode from 'vscode';
import type { MessageAttachment } from '../../../../sidecar/protocol/shared.ts';
import { attachmentBytes, imageBytes } from '../../contract/attachmentLimits.ts';
import type { AttachingDeps } from './attachModule.ts';

/** Longer texts are kept by the host, so that messages and drafts stay small. */
const INLINE_CHARACTERS = 16_000;

/** Why something cannot be attached, for the person. */
export class NotAttached extends Error {}

/** A text as it is now, whatever becomes of its source. */
export async function textAttachment(
  deps: AttachingDeps,
  label: string,
  text: string,
  displayKind: string,
): Promise<MessageAttachment> {
  const _meta = { lines: text.split('\n').length };
  if (text.length <= INLINE_CHARACTERS) return { type: 'simple', label, modelRepresentation: text, displayKind, _meta };
  return { ...(await keep(deps, label, Buffer.from(text), 'text/plain', displayKind)), _meta };
}

/** @param contentType as whoever had it says; empty: unknown */
export async function bytesAttachment(
  deps: AttachingDeps,
  name: string,
  bytes: Uint8Array,
  contentType: string,
): Promise<MessageAttachment> {
  const image = imageType(name) ?? (isDrawing(contentType) ? undefined : contentType);
  if (image?.startsWith('image/')) {
    if (![...imageTypes.values()].includes(image))
      throw new NotAttached(
        vscode.l10n.t('{0} was not attached: images must be PNG, JPEG, GIF, or WebP. Convert it and try again.', name),
      );
    return keep(deps, name, bytes, image, 'image');
  }
  if (isText(bytes)) return textAttachment(deps, name, Buffer.from(bytes).toString('utf8'), 'document');
  return keep(deps, name, bytes, contentType || 'application/octet-stream', 'document');
}

/** Those that models read. */
const imageTypes: ReadonlyMap<string, string> = new Map([
  ['png', 'image/png'],
  ['jpg', 'image/jpeg'],
  ['jpeg', 'image/jpeg'],
  ['gif', 'image/gif'],
  ['webp', 'image/webp'],
]);
export const imageExtensions = [...imageTypes.keys()];

/** Whether an agent can read it as text. */
const isDrawing = (contentType: string) => contentType === 'image/svg+xml';

export function imageType(name: string): string | undefined {
  return imageTypes.get(name.slice(name.lastIndexOf('.') + 1).toLowerCase());
}

async function keep(
  deps: AttachingDeps,
  name: string,
  bytes: Uint8Array,
  contentType: string,
  displayKind: string,
): Promise<MessageAttachment> {
  refuseSize(name, bytes.byteLength, displayKind === 'image');
  const channel = await deps.ensureSession();
  const data = Buffer.from(bytes).toString('base64');
  const ref = await deps.chat.deps.port.request('x-switchboard/keepContent', { channel, name: name.slice(-255), data });
  return { type: 'resource', label: name, ...ref, contentType, displayKind };
}

/** @throws {NotAttached} */
export function refuseSize(name: string, bytes: number, isImage: boolean): void {
  const limit = isImage ? imageBytes : attachmentBytes;
  if (bytes <= limit) return;
  const [size, most] = [inMegabytes(bytes), inMegabytes(limit)];
  throw new NotAttached(
    isImage
      ? vscode.l10n.t(
          '{0} was not attached: images can be at most {2} MB, but this one is {1} MB. Make it smaller and try again.',
          name,
          size,
          most,
        )
      : vscode.l10n.t(
          '{0} was not attached: files from outside the workspace can be at most {2} MB, but this one is {1} MB. Copy it into the workspace and attach it from there.',
          name,
          size,
          most,
        ),
  );
}

const inMegabytes = (bytes: number): string => (bytes / 1_048_576).toFixed(bytes % 1_048_576 === 0 ? 0 : 1);

/** No zero byte, and valid UTF-8. */
function isText(bytes: Uint8Array): boolean {
  if (bytes.includes(0)) return false;
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return true;
  } catch {
    return false;
  }
}
